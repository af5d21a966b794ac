"""PostgreSQL: how its data folder is made and configured, and how it is started."""

import subprocess
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGQUIT

from benchmarks.web.stack import database
from benchmarks.web.stack.account import Account
from benchmarks.web.stack.component import Component, ending_with_us
from benchmarks.web.stack.components import Components
from benchmarks.web.stack.database import DatabaseError

USER, DATABASE = "test", "postgres"
_INITDB_S = 60
_QUERY_S = 2
_NO_SHARED_MEMORY_LEFT = "dynamic_shared_memory_type = mmap"  # files in the data folder, none in /dev/shm
SETTINGS = f"""
# What survives a power cut is of no interest here, what the disk does would only be noise.
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum = off
jit = off
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 100
shared_buffers = 128MB
{_NO_SHARED_MEMORY_LEFT}
timezone = UTC
log_timezone = UTC
"""


def initialise(components: Components, account: Account, folder: Path) -> None:
    """Make an empty data folder there. Raises `RuntimeError` if that fails.

    The server that initdb starts is killed with nobody: it ends in order when initdb writes to it no more.
    """
    command = [*account.prefix, *ending_with_us(SIGKILL), str(components.initdb), "-D", str(folder), "-U", USER]
    command += ["--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C", "--no-instructions"]
    done = subprocess.run(
        command, cwd="/", env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}, capture_output=True, text=True,
        timeout=_INITDB_S, check=False, start_new_session=True, **account.options,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"initdb failed: {(done.stderr.strip().splitlines() or ['it did not say why'])[-1]}")
    with (folder / "postgresql.conf").open("a") as settings:
        settings.write(SETTINGS)


def server(components: Components, account: Account, data: Path, port: int, log: Path) -> Component:
    """Return the server of this data folder, not yet started.

    It is apart, because it would leave shared memory behind if it were killed. When this process is killed it shuts
    down at once, without writing what is in its memory, and removes that.
    """
    command = [str(components.postgres), "-D", str(data), "-c", f"port={port}"]
    return Component("PostgreSQL", command, account, log, polite=SIGINT, at_once=SIGQUIT, apart=True)


def answers(port: int) -> bool:
    """Return whether it answers a query: it listens some time before it does."""
    try:
        return bool(database.query(port, DATABASE, USER, "select 1", _QUERY_S))
    except OSError, DatabaseError:
        return False
