"""The shapes that programs have: a chain, a fan, a crowd on one channel, pairs; each on our channels and on queues.

A `Shape` says which tasks there are and what they are connected by; `straight` and `awaited` run it, on any pair of
functions that send and receive, called once for each item as one first writes it. `ours` makes these of a model, and
`benchmarks.peers` of a queue. `pools` calls a function in a pool, one call after the other.

The clock runs from when all tasks have reported that they run until the last item has arrived; what the tasks do
before and after does not count. CPU seconds are those of all processes meanwhile.
"""

from math import inf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

CONTROL = 3
"""So many channels come before those of a shape: for reports to the caller, for the start, for the end."""


class Shape:
    """Tasks, and the channels between them; `messages` is the number of items that one sender has.

        chain      `tasks` in a row, from the caller back to the caller; with `in_flight`, the caller sends the next
                   item when one has come back, and without it one more task sends them all
        fan-in     `tasks` send into one channel, and the caller receives
        fan-out    the caller sends, and `tasks` receive
        crowd      half of the tasks send into one channel, half receive
        pairs      half of the tasks send, each into its own channel, and half receive

    `item` is what fan-in sends: by default each sender its own number, so that the receiver sees whose turn it was.
    """

    def __init__(
        self,
        form: str,
        tasks: int,
        messages: int,
        in_flight: int | None = None,
        capacity: float = inf,
        item: str | None = None,
    ) -> None:
        self.form = form
        self.number = tasks
        self.messages = messages
        self.in_flight = in_flight
        self.capacity = capacity
        self.item = item

    @property
    def half(self) -> int:
        """The number of senders where others receive."""
        return self.number // 2

    @property
    def channels(self) -> int:
        """The number of channels."""
        return {"chain": self.number + 1, "pairs": self.half}.get(self.form, 1)

    @property
    def capacities(self) -> list[float | None]:
        """The capacity of each channel; None for those that only control the others."""
        return [*[None] * CONTROL, *[self.capacity] * self.channels]

    @property
    def hops(self) -> int:
        """The number of items that pass through a channel, all channels together."""
        senders = {"chain": self.channels, "fan-in": self.number, "fan-out": self.number}.get(self.form, self.half)
        return senders * self.messages

    @property
    def sent(self) -> int:
        """The number of items that the caller sends."""
        return self.number * self.messages if self.form == "fan-out" else 0

    @property
    def received(self) -> int:
        """The number of items that the caller receives."""
        return {"chain": self.messages, "fan-in": self.number * self.messages}.get(self.form, 0)

    def tasks(self) -> Iterator[tuple[str, int, int, Any]]:
        """Yield the tasks: what each does, the channel that it receives from, the one it sends to, and its items or
        their number."""
        if self.form == "chain":
            for place in range(self.number):
                yield "node", place, place + 1, self.messages
            if not self.in_flight:
                yield "source", 0, 0, range(self.messages)
        if self.form in ("fan-out", "crowd", "pairs"):
            for place in range(self.number if self.form == "fan-out" else self.half):
                channel = place if self.form == "pairs" else 0
                yield "drain", channel, channel, self.messages
        if self.form in ("fan-in", "crowd", "pairs"):
            for place in range(self.number if self.form == "fan-in" else self.half):
                yield "source", 0, place if self.form == "pairs" else 0, [self.made(place)] * self.messages

    def made(self, number: int) -> Any:
        """Return what the sender of this number sends."""
        from benchmarks.shapes.items import ITEMS

        return number if self.item is None else ITEMS[self.item]()

    def check(self, came: Collection[Any]) -> None:
        """Raise `RuntimeError` unless this is what the caller had to receive: in order, or of each sender all."""
        if self.item is not None:
            right = all(same(it, self.made(0)) for it in came)
        elif self.form == "chain":
            right = list(came) == list(range(self.messages))
        else:
            senders = range(self.number if self.received else 0)
            right = sorted(came) == [number for number in senders for _ in range(self.messages)]
        if not right:
            raise RuntimeError("other items came than were sent")


def same(one: Any, other: Any) -> bool:
    """Return whether two items are equal; those of numpy are compared as bytes."""
    return type(one) is type(other) and (one.tobytes() == other.tobytes() if hasattr(one, "tobytes") else one == other)


def turns(came: Collection[int]) -> dict[str, float]:
    """Return how many items one sender had in a row on average, and after how many items of others its next turn came
    at the latest."""
    changes, last, longest = 0, -1, 0
    latest: dict[int, int] = {}
    for place, number in enumerate(came):
        if number != last:
            changes += 1
            longest = max(longest, place - latest.get(number, -1) - 1)
        last = number
        latest[number] = place
    return {"in_a_row": len(came) / changes, "longest_gap": longest}
