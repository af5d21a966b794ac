"""The ring: N tasks in a circle forward M messages. `tasks.py` is the program, sync and async."""

from concmodels.ring.tasks import async_circle, async_feed, async_node, circle, feed, node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.programs.messages import Misdelivered
    from concmodels.ring.program import ring

__all__ = ["Misdelivered", "async_circle", "async_feed", "async_node", "circle", "feed", "node", "ring"]


def __getattr__(name: str) -> Any:
    """Import what only the caller of a whole run needs: children import the tasks, and nothing else."""
    if name == "Misdelivered":
        from concmodels.programs.messages import Misdelivered

        return Misdelivered
    if name == "ring":
        from concmodels.ring.program import ring

        return ring
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
