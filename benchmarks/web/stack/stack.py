"""The three programs together, up and down again."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.interpreters import ROOT
from benchmarks.web.stack import cluster, nginx, pgbouncer, postgres
from benchmarks.web.stack.account import Account, account
from benchmarks.web.stack.component import Component
from benchmarks.web.stack.components import Components, components
from benchmarks.web.stack.ports import reserved

FOLDER = ROOT / ".python" / "web"


@dataclass(frozen=True)
class Stack:
    """What runs: its ports, its processes, and its versions."""

    front: int
    """Where nginx listens."""
    servers: tuple[int, ...]
    """Where the servers behind nginx are to listen."""
    database: int
    """Where PgBouncer listens."""
    processes: dict[str, int]
    """The first process of each program, by its name: postgres, pgbouncer, nginx."""
    versions: dict[str, str]

    @property
    def address(self) -> str:
        """Where a driver finds the database, as libpq writes it."""
        return f"host=127.0.0.1 port={self.database} dbname={pgbouncer.NAME} user={postgres.USER}"

    def queries(self) -> int:
        """Return how many queries PostgreSQL has been asked so far, by PgBouncer's statistics."""
        return pgbouncer.queries(self.database)


@contextmanager
def stack(*, servers: int = 1, pool: int = 20, uwsgi: bool = False, folder: Path = FOLDER) -> Iterator[Stack]:
    """Run the stack for so many servers, with `pool` connections to PostgreSQL.

    Raises `NotHere` if that can't be done on this machine, `RuntimeError` if one of the programs fails.
    """
    programs = components()
    with cluster.locked(folder), reserved(3 + servers) as (front, console, own, *behind):
        its = account({folder, *programs.paths()})
        its.own(folder)
        data = cluster.ready(programs, its, folder)
        run = _configured(folder / "run", its, front, console, own, behind, pool, uwsgi)
        with ExitStack() as ends:
            processes = {
                name: _started(component, is_ready, ends)
                for name, component, is_ready in _parts(programs, its, data, run, front, console, own)
            }
            yield Stack(front, tuple(behind), console, processes, programs.versions)


def _configured(
    run: Path, its: Account, front: int, console: int, own: int, behind: Sequence[int], pool: int, uwsgi: bool
) -> Path:
    """Write the files of PgBouncer and nginx into an empty folder."""
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir()
    (run / "pgbouncer.ini").write_text(pgbouncer.settings(console, own, pool))
    (run / "nginx.conf").write_text(nginx.settings(run, front, behind, uwsgi=uwsgi))
    its.own_all(run)
    return run


def _parts(
    programs: Components, its: Account, data: Path, run: Path, front: int, console: int, own: int
) -> Iterator[tuple[str, Component, Callable[[], bool]]]:
    """Yield what is started, in that order, each with its name and how it is found ready."""
    database = postgres.server(programs, its, data, own, run / "postgres.log")
    pool = pgbouncer.server(programs, its, run / "pgbouncer.ini", run / "pgbouncer.log")
    yield "postgres", database, lambda: postgres.answers(own)
    yield "pgbouncer", pool, lambda: pgbouncer.answers(console)
    yield "nginx", nginx.server(programs, its, run, run / "nginx.log"), lambda: nginx.answers(front)


def _started(component: Component, is_ready: Callable[[], bool], ends: ExitStack) -> int:
    ends.callback(component.end)
    component.start(is_ready)
    return component.pid
