"""A server stands still for a second. A closed loop and an open one measure it."""

import asyncio
import os
import subprocess
import sys
import time
from typing import Any

from benchmarks.web.generate import generate
from benchmarks.web.plan import Plan, target

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


async def serve() -> None:
    """Answer every request at once, but for one second that begins half a second after the first connection."""
    stalled = False

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal stalled
        if not stalled:
            stalled = True
            asyncio.get_running_loop().call_later(0.5, time.sleep, 1)
        while await reader.readline():
            await reader.readuntil(b"\r\n\r\n")
            writer.write(OK)

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)  # the other side has gone; connections may be left


def measured(how: str, **plan: Any) -> None:
    """Put load on a server of its own; print what an ordinary report has."""
    command = [sys.executable, __file__, "serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin and server.stdout
        report = generate(Plan(target=target(f"127.0.0.1:{server.stdout.readline().strip()}"), seconds=2.5, **plan))
        server.stdin.close()
    its = report.latencies
    late = sum(number for bound, number in its.histogram.items() if bound >= 100_000)
    print(
        f"{how} {its.count:7,} answers, {late:3} later than 0.1 s; P99 {its.p99_s:.3f} s, the worst {its.max_s:.1f} s"
    )


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        asyncio.run(serve())
    else:
        measured("closed loop, one user:    ", connections=1)
        measured("open loop, 500 requests/s:", connections=16, rate=500, even=True)
