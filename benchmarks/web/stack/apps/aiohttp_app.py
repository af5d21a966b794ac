"""The service with aiohttp."""

import os

from aiohttp import web

from benchmarks.web.stack.apps import awaited, question


async def row(request):
    """Answer with a row."""
    return web.json_response(await awaited.row())


async def json(request):
    """Answer with a constant."""
    return web.json_response(question.MESSAGE)


async def pid(request):
    """Answer with who answers."""
    return web.Response(text=str(os.getpid()))


async def make():
    """Return the application; gunicorn calls this in each worker."""
    app = web.Application()
    app.add_routes([web.get("/row", row), web.get("/json", json), web.get("/pid", pid)])
    return app
