"""`select` on Dask: it asks one channel after the other, again and again, with growing pauses.

It is alone inside of a channel while it looks, so exactly one case takes effect. A select stands in no queue; therefore
it can't be the sender of a rendezvous: of two selects that look for each other, neither would ever find the other.
"""

from concmodels.errors import ChannelClosed, Selected
from concmodels.models.cluster.channel import Channel
from concmodels.models.cluster.channel_state import NOTHING
from concmodels.models.cluster.run import Wait, dumps, nap, running_in, unpack_arrived
from concmodels.models.waiting.select import bad_case, shuffled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SOON_S = 0.001
"""The first pause between two rounds; each is twice the one before."""


class _Case:
    """One case: a channel to receive from, or one with an item to send."""

    def __init__(self, case: Any) -> None:
        self.sending = isinstance(case, tuple) and len(case) == 2
        self.channel: Any
        self.item: Any
        self.channel, self.item = case if self.sending else (case, None)
        if not isinstance(self.channel, Channel):
            raise bad_case("dask", case)
        if self.sending and self.channel.capacity == 0:
            raise NotImplementedError(
                "on dask a select can't send on a rendezvous: give the channel a capacity, or use `send`"
            )
        self._data = dumps(self.item) if self.sending else b""

    async def attempt(self, running: Any) -> Any:
        """Do this case now. Returns True if it sent, the data that it received, `NOTHING`, or the `ChannelClosed`."""
        try:
            if self.sending:
                return await self.channel.try_send(self._data, running) or NOTHING
            return await self.channel.try_receive(running)
        except ChannelClosed as closed:
            return closed

    def selected(self, outcome: Any) -> Selected:
        """The outcome as the program sees it."""
        if isinstance(outcome, ChannelClosed):
            return Selected(self.channel, closed=True)
        item = self.item if self.sending else unpack_arrived(outcome, "an item of this channel")
        return Selected(self.channel, item, sent=self.sending)


def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait for the first of several channels; see `concmodels.contract.Model.select`."""
    all_cases = [_Case(case) for case in cases]
    if not cases:
        raise ValueError("select needs at least one case: a channel, or a pair (channel, item)")
    home = all_cases[0].channel.home
    running = running_in(home)
    case: _Case
    case, outcome = home.ask(_first(all_cases, Wait(running, timeout, _SOON_S), priority), running)
    return case.selected(outcome)


async def _first(cases: list[_Case], wait: Wait, priority: bool) -> tuple[_Case, Any]:
    while True:
        for case in cases if priority else shuffled(cases):
            outcome = await case.attempt(wait.running)
            if outcome is not NOTHING:
                return case, outcome
        if wait.is_over():
            raise TimeoutError("select: none of the cases could be done in time")
        await wait.slice(nap)
