"""The three programs together, up and down again."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.interpreters import ROOT
from benchmarks.web.ports import reserved
from benchmarks.web.stack import cluster, nginx, pgbouncer, postgres
from benchmarks.web.stack.account import Account, account
from benchmarks.web.stack.component import Component
from benchmarks.web.stack.components import Components, components

FOLDER = ROOT / ".python" / "web"


@dataclass(frozen=True)
class Ports:
    """The ports on which the parts listen."""

    front: int
    """nginx."""
    database: int
    """PgBouncer."""
    postgres: int
    servers: tuple[int, ...]
    """The servers behind nginx, which are not among the parts here."""


@dataclass(frozen=True)
class Stack:
    """The running stack: its ports, its processes, and its versions."""

    ports: Ports
    processes: dict[str, int]
    """The first process of each program, by its name: postgres, pgbouncer, nginx."""
    versions: dict[str, str]

    @property
    def address(self) -> str:
        """The address of the database, as libpq writes it."""
        return f"host=127.0.0.1 port={self.ports.database} dbname={pgbouncer.NAME} user={postgres.USER}"

    def queries(self) -> int:
        """Return how many queries PostgreSQL has been asked so far, by PgBouncer's statistics."""
        return pgbouncer.queries(self.ports.database)


@contextmanager
def stack(*, servers: int = 1, pool: int = 20, uwsgi: bool = False, folder: Path = FOLDER) -> Iterator[Stack]:
    """Run the stack for so many servers, with `pool` connections to PostgreSQL.

    Raises `NotHere` if that can't be done on this machine, `RuntimeError` if one of the programs fails.
    """
    programs = components()
    with cluster.locked(folder), reserved(3 + servers) as (front, database, own, *behind), ExitStack() as ends:
        ports = Ports(front, database, own, tuple(behind))
        its = account({folder, *programs.paths()})
        its.own(folder)
        data = cluster.ready(programs, its, folder)
        run = _empty(folder / "run")
        (run / "pgbouncer.ini").write_text(pgbouncer.settings(database, own, pool))
        (run / "nginx.conf").write_text(nginx.settings(run, front, behind, uwsgi=uwsgi))
        its.own_all(run)
        processes = {
            name: _started(component, is_ready, ends)
            for name, component, is_ready in _parts(programs, its, data, run, ports)
        }
        yield Stack(ports, processes, programs.versions)


def _empty(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def _parts(
    programs: Components, its: Account, data: Path, run: Path, ports: Ports
) -> Iterator[tuple[str, Component, Callable[[], bool]]]:
    """Yield what is started, in that order, each with its name and how it is found ready."""
    database = postgres.server(programs, its, data, ports.postgres, run / "postgres.log")
    pool = pgbouncer.server(programs, its, run / "pgbouncer.ini", run / "pgbouncer.log")
    front = nginx.server(programs, its, run, run / "nginx.log")
    yield "postgres", database, lambda: postgres.answers(ports.postgres)
    yield "pgbouncer", pool, lambda: pgbouncer.answers(ports.database)
    yield "nginx", front, lambda: nginx.answers(ports.front)


def _started(component: Component, is_ready: Callable[[], bool], ends: ExitStack) -> int:
    ends.callback(component.end)
    component.start(is_ready)
    return component.pid
