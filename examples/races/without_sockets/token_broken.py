"""Two requests find that the token is too old, both fetch a new one, and the second makes the first one's invalid."""

import asyncio

import httpx
from answers import Answers


class Server:
    """A token may be fetched, and is the only one that is valid from then on."""

    def __init__(self) -> None:
        self.token = 0

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/token":
            self.token += 1
            return httpx.Response(200, text=str(self.token))
        return httpx.Response(200 if request.headers.get("token") == str(self.token) else 401)


class Api:
    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self.token = ""

    async def get(self, path: str) -> int:
        response = await self.client.get(path, headers={"token": self.token})
        if response.status_code == 401:
            self.token = (await self.client.post("/token")).text
            response = await self.client.get(path, headers={"token": self.token})
        return response.status_code


async def main() -> None:
    transport = Answers(Server().answer)
    async with httpx.AsyncClient(transport=transport, base_url="http://server", trust_env=False) as client:
        api = Api(client)
        assert [*await asyncio.gather(api.get("/one"), api.get("/two"))] == [200, 200]
