"""The pool at work: tasks on N workers, and every result is checked. `tasks.py` is the program, sync and async."""

from concmodels.pool.tasks import WrongResult, async_attend, async_crowd, attend, crowd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.pool.program import pool

__all__ = ["WrongResult", "async_attend", "async_crowd", "attend", "crowd", "pool"]


def __getattr__(name: str) -> Any:
    """Import what only the caller of a whole run needs: children import the tasks, and nothing else."""
    if name == "pool":
        from concmodels.pool.program import pool

        return pool
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
