"""The service with Starlette."""

import os

from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

from benchmarks.web.stack.apps import awaited, question


async def row(request):
    """Answer with a row."""
    return JSONResponse(await awaited.row())


async def json(request):
    """Answer with a constant."""
    return JSONResponse(question.MESSAGE)


async def pid(request):
    """Answer with who answers."""
    return PlainTextResponse(str(os.getpid()))


app = Starlette(routes=[Route("/row", row), Route("/json", json), Route("/pid", pid)])
