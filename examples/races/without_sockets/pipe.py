"""Two ends of a connection of asyncio streams without a socket: what one end writes, the other one reads a bit later.

No schedule decides when bytes come through a socket. Here a timer brings them, and a schedule decides when it expires.
"""

import asyncio

DELAY_S = 0.01


class _End(asyncio.Transport):
    """The way from one end to the reader of the other."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        super().__init__()
        self._reader = reader
        self._loop = asyncio.get_running_loop()
        self._is_closing = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self._loop.call_later(DELAY_S, self._reader.feed_data, bytes(data))

    def close(self) -> None:
        if not self._is_closing:
            self._is_closing = True
            self._loop.call_later(DELAY_S, self._reader.feed_eof)

    def is_closing(self) -> bool:
        return self._is_closing or self._loop.is_closed()


def pipe() -> tuple[tuple[asyncio.StreamReader, asyncio.StreamWriter], ...]:
    """Return both ends of a connection, each a reader and a writer, as `asyncio.open_connection` does."""
    here, there = asyncio.StreamReader(), asyncio.StreamReader()
    return (here, _writer(here, _End(there))), (there, _writer(there, _End(here)))


def _writer(reader: asyncio.StreamReader, transport: asyncio.Transport) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    return asyncio.StreamWriter(transport, asyncio.StreamReaderProtocol(reader, loop=loop), reader, loop)
