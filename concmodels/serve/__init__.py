"""The serve program: a small HTTP service, with a task for each connection. `tasks.py` is the program, sync and async.

It is an example of concurrency, not a web server for production.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.serve.program import Server, serve

__all__ = ["Server", "serve"]


def __getattr__(name: str) -> Any:
    """Import what only the caller of a whole run needs: workers import the tasks, and nothing else."""
    if name in __all__:
        from concmodels.serve import program

        return getattr(program, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
