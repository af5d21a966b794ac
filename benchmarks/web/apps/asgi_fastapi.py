"""The article's service on FastAPI: /json, and /io, which sleeps for 10 ms."""

import asyncio

from fastapi import FastAPI
from fastapi.responses import JSONResponse, PlainTextResponse

app = FastAPI()


@app.get("/json")
async def as_json():
    """Answer at once."""
    return JSONResponse({"message": "Hello, world!"})


@app.get("/io")
async def io():
    """Answer after 10 ms."""
    await asyncio.sleep(0.01)
    return PlainTextResponse(b"Hello, waited 10ms")
