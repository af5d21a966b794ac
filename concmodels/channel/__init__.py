"""The channel program: messages in five patterns. `tasks.py` is the program, sync and async."""

from concmodels.channel.tasks import async_bounce, async_converge, async_spread, bounce, converge, spread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.channel.program import channel

__all__ = ["async_bounce", "async_converge", "async_spread", "bounce", "channel", "converge", "spread"]


def __getattr__(name: str) -> Any:
    """Import what only the caller of a whole run needs: children import the tasks, and nothing else."""
    if name == "channel":
        from concmodels.channel.program import channel

        return channel
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
