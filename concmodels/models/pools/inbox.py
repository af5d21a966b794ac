"""The inbox of a pool: the jobs that no worker has begun. Sync and async pools have the same."""

from concmodels.errors import ChannelClosed, WouldBlock
from concmodels.models.pools.arguments import refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Inbox:
    """The channel that the workers receive from, and the reason why it takes nothing more, if there is one.

    The group of the workers calls `cancel` when it is cancelled, so the inbox must not know the group or the workers:
    a pool that has ended would then be a reference cycle, and live until the garbage collector runs.
    """

    def __init__(self, channel: Any) -> None:
        self.channel = channel
        self._broken: BaseException | None = None

    @property
    def closed(self) -> bool:
        """Whether the pool takes nothing more."""
        return bool(self.channel.closed)

    def refusal(self) -> RuntimeError:
        """Return the error that says why the pool takes nothing more."""
        return refusal(self._broken)

    def fail(self, error: BaseException) -> None:
        """Take nothing more because an initializer has raised `error`; what has not begun fails for that reason."""
        self._broken = self._broken or error
        self.cancel()

    def close(self) -> None:
        """Take nothing more. What was accepted will still be done."""
        self.channel.close()

    def cancel(self) -> None:
        """Take nothing more, and cancel what has not begun. Never waits."""
        self.channel.close()
        while True:
            try:
                results, position, _ = self.channel.receive_nowait()
            except ChannelClosed, WouldBlock:
                return
            results.drop(position, None if self._broken is None else self.refusal())
