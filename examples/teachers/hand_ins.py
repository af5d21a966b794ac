"""What marking scripts need: the files of a folder, and a process for each, several at a time, whatever they do."""

import asyncio
import os
import signal
import sys
from contextlib import suppress

from rich.console import Console
from rich.progress import Progress

TO_STOP_S = 10


def files_in(paths, pattern="*.py", without=()):
    """Return these files, and those in these folders whose name matches the pattern."""
    files = {}
    for path in paths:
        files |= dict.fromkeys(sorted(path.rglob(pattern)) if path.is_dir() else [path])
    unwanted = {file.resolve() for file in without}
    return [file for file in files if file.resolve() not in unwanted]


async def run(command, limit, errors=asyncio.subprocess.DEVNULL):
    """Run a command; return its exit status, or None if it was stopped after `limit` seconds."""
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*command, stdin=quiet, stdout=quiet, stderr=errors)
    try:
        async with asyncio.timeout(limit):
            return await process.wait()
    except TimeoutError:
        return None
    finally:
        await stop(process)


async def stop(process):
    """End a process that still runs. An interrupt has it write what it knows, and end what it has started."""
    if process.returncode is None and os.name == "posix":
        process.send_signal(signal.SIGINT)
        with suppress(TimeoutError):
            async with asyncio.timeout(TO_STOP_S):
                await process.wait()
    if process.returncode is None:
        process.kill()
        await process.wait()


async def mark_all(files, mark, jobs, done):
    """Await `mark(file)` for each file, some at a time, and add what it returns to `done`."""
    turns = asyncio.Semaphore(jobs)

    async def mark_in_turn(file):
        async with turns:
            done.append(await mark(file))
        bar.advance(task)

    with Progress(console=Console(stderr=True), disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(f"{len(files)} hand-ins", total=len(files))
        async with asyncio.TaskGroup() as group:
            for file in files:
                group.create_task(mark_in_turn(file))
