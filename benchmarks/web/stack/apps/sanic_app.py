"""The service with Sanic."""

import os

from sanic import Sanic, response

from benchmarks.web.stack.apps import awaited, question

app = Sanic("stack")
app.config.ACCESS_LOG = False


@app.get("/row")
async def row(request):
    """Answer with a row."""
    return response.json(await awaited.row())


@app.get("/json")
async def json(request):
    """Answer with a constant."""
    return response.json(question.MESSAGE)


@app.get("/pid")
async def pid(request):
    """Answer with who answers."""
    return response.text(str(os.getpid()))
