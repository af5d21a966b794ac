"""A transport for httpx that answers without a socket: by a future for each request, which a timer resolves."""

import asyncio
from collections.abc import Callable

import httpx

DELAY_S = 0.01


class Answers(httpx.AsyncBaseTransport):
    """Has `answer(request)` make the response, a bit later; that is the moment when the server sees the request."""

    def __init__(self, answer: Callable[[httpx.Request], httpx.Response]) -> None:
        self._answer = answer

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        loop = asyncio.get_running_loop()
        response: asyncio.Future[httpx.Response] = loop.create_future()
        loop.call_later(DELAY_S, self._resolve, response, request)
        return await response

    def _resolve(self, response: asyncio.Future[httpx.Response], request: httpx.Request) -> None:
        if not response.done():
            response.set_result(self._answer(request))
