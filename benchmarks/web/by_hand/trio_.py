"""trio.serve_tcp, which has a task for each connection."""

import sys

import trio

from benchmarks.web.by_hand.pages import PAUSE_S, WAITED, first


async def converse(stream: trio.SocketStream) -> None:
    """Answer the requests of one connection, one after the other."""
    data = b""
    try:
        while more := await stream.receive_some():
            answer, data = first(data + more)
            while answer:
                if answer is WAITED:
                    await trio.sleep(PAUSE_S)
                await stream.send_all(answer)
                answer, data = first(data)
    except trio.BrokenResourceError:
        return  # the client has gone


async def main(port: int) -> None:
    """Serve for ever."""
    await trio.serve_tcp(converse, port, host="127.0.0.1", backlog=1024)


if __name__ == "__main__":
    trio.run(main, int(sys.argv[1]))
