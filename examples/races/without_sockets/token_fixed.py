"""Who finds that the token is too old fetches a new one, unless another request has done that in the meantime."""

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
        self.lock = asyncio.Lock()

    async def get(self, path: str) -> int:
        used = self.token
        response = await self.client.get(path, headers={"token": used})
        if response.status_code == 401:
            async with self.lock:
                if self.token == used:
                    self.token = (await self.client.post("/token")).text
            response = await self.client.get(path, headers={"token": self.token})
        return response.status_code


async def main() -> None:
    transport = Answers(Server().answer)
    async with httpx.AsyncClient(transport=transport, base_url="http://server", trust_env=False) as client:
        api = Api(client)
        assert [*await asyncio.gather(api.get("/one"), api.get("/two"))] == [200, 200]
