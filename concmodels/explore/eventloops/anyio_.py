"""The threads of an explored anyio program on asyncio; on trio, they are those of trio.

anyio's own workers are threads of the system. Here a job is one of the simulated event loop's, and gives work back to
the loop by the same functions as there. A portal runs its event loop in a simulated thread, on either.
"""

import contextvars
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any

from concmodels.explore.eventloops.findings import findings_of
from concmodels.explore.eventloops.numbered import number
from concmodels.explore.eventloops.unwatched import CodeInThread
from concmodels.explore.threads.program import library
from concmodels.models.simulated.world import current

_MISSING = object()


@contextmanager
def anyio_replaced() -> Iterator[None]:
    """During this `with`, have jobs of explored programs run in simulated threads."""
    backend: Any = import_module("anyio._backends._asyncio")  # anyio itself imports it only in a run
    from_thread: Any = import_module("anyio.from_thread")
    kind = backend.AsyncIOBackend
    replacements = (
        (kind, "run_sync_in_worker_thread", classmethod(_worker(backend, kind.run_sync_in_worker_thread.__func__))),
        (backend, "Future", _simulated("concurrent.futures", "Future", backend.Future)),
        (backend.CancelScope, "__hash__", number),
        (from_thread, "Future", _simulated("concurrent.futures", "Future", from_thread.Future)),
        (from_thread, "Thread", _thread(from_thread.Thread)),
        *((from_thread, it, _simulated("threading", it, getattr(from_thread, it))) for it in _OF_PORTALS),
    )
    before = [vars(owner).get(name, _MISSING) for owner, name, _ in replacements]
    for owner, name, instead in replacements:
        setattr(owner, name, instead)
    try:
        yield
    finally:
        for (owner, name, _), real in zip(replacements, before, strict=True):
            if real is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, real)


_OF_PORTALS = ("Lock", "current_thread", "get_ident")
"""What a portal, whose event loop runs in a thread of its own, has of `threading` besides threads."""


def _simulated(module: str, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    """Return what is this outside of a run, and in one the simulated module's of that name."""

    def made(*args: Any, **options: Any) -> Any:
        return (real if current() is None else getattr(library().modules[module], name))(*args, **options)

    return made


def _thread(real: Callable[..., Any]) -> Callable[..., Any]:
    simulated = _simulated("threading", "Thread", real)

    def thread(*args: Any, **options: Any) -> Any:
        world = current()
        if world is not None and not findings_of(world).is_watched:
            world.cut(CodeInThread())
        return simulated(*args, **options)

    return thread


def _worker(backend: Any, real: Callable[..., Any]) -> Callable[..., Any]:
    """Return what runs a function in a worker, instead of this."""
    here = import_module("anyio._core._eventloop")

    async def run_sync_in_worker_thread(
        cls: Any, func: Any, args: Any, abandon_on_cancel: bool = False, limiter: Any = None
    ) -> Any:
        if current() is None:
            return await real(cls, func, args, abandon_on_cancel, limiter)
        await cls.checkpoint()
        async with limiter or cls.current_default_thread_limiter():
            with backend.CancelScope(shield=not abandon_on_cancel) as scope:
                cancelled_by = scope if abandon_on_cancel else scope._parent_scope or scope
                context, loop = contextvars.copy_context(), backend.get_running_loop()
                context.run(backend.set_current_async_library, None)

                def job() -> Any:
                    with here.claim_worker_thread(cls, loop):
                        here.threadlocals.current_cancel_scope = cancelled_by
                        return context.run(func, *args)

                # As anyio's own, it ends in a step of the loop, never before it is awaited.
                job.stands_for = partial(func, *args)  # type: ignore[attr-defined]
                return await loop.run_in_executor(None, job)

    return run_sync_in_worker_thread
