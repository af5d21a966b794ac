"""asyncio by callbacks: a Protocol, without a task or a coroutine for a connection."""

import asyncio
import sys

from benchmarks.web.by_hand.pages import PAUSE_S, WAITED, first


class Conversation(asyncio.Protocol):
    """One connection. While an answer waits, what comes is kept."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self.transport, self.data, self.waits = transport, b"", False

    def data_received(self, data: bytes) -> None:
        """Answer the requests that are complete."""
        self.data += data
        if not self.waits:
            self.go_on()

    def go_on(self) -> None:
        """Answer what has come, up to a request that waits."""
        answer, self.data = first(self.data)
        while answer and answer is not WAITED:
            self.transport.write(answer)
            answer, self.data = first(self.data)
        self.waits = answer is WAITED
        if self.waits:
            asyncio.get_running_loop().call_later(PAUSE_S, self.has_waited)

    def has_waited(self) -> None:
        """Send the answer that has waited."""
        self.transport.write(WAITED)
        self.go_on()


async def main(port: int) -> None:
    """Serve for ever."""
    server = await asyncio.get_running_loop().create_server(Conversation, "127.0.0.1", port, backlog=1024)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
