"""Channels of processes and interpreters, each broken in one way, on both sides of the boundary."""

import time

from concmodels.errors import CannotTravel, ChannelClosed, WouldBlock
from mutants import every, mutant, replace
from mutants.channels import take_one_away
from mutants.steps import ATTACH, MOST, PACK, PARTICIPANT, WAKE, WAKE_ALL, found


def iterate_by_receive(model):
    """Have iteration use `receive`, so that one defect is in both."""

    @replace(model.Channel, "__iter__")
    def iterate(iterate, self):
        while True:
            try:
                yield self.receive()
            except ChannelClosed:
                return


@mutant("processes", "delivery")
def loses_an_item(model):
    """An item is lost now and then."""
    due = every(5)

    @replace(model.Channel, "receive")
    def receive(receive, self, timeout=None):
        if due():
            take_one_away(self)
        return receive(self, timeout)


@mutant("subinterp", "delivery")
def gives_an_item_twice(model):
    """An item is given twice now and then."""
    due, last = every(5), {}
    iterate_by_receive(model)

    @replace(model.Channel, "receive")
    def receive(receive, self, timeout=None):
        if not due() or self.number not in last:
            last[self.number] = receive(self, timeout)
        return last[self.number]


@mutant("processes", "delivery")
def breaks_the_order(model):
    """Of two items that lie there the second is received first."""
    kept = {}
    iterate_by_receive(model)

    @replace(model.Channel, "receive")
    def receive(receive, self, timeout=None):
        if self.number in kept:
            return kept.pop(self.number)
        item = receive(self, timeout)
        try:
            following = self.receive_nowait()
        except WouldBlock, ChannelClosed:
            return item
        kept[self.number] = item
        return following


@mutant("processes", "waiting")
def holds_one_too_many(model):
    """A channel with a buffer holds one item more than its capacity."""

    @replace(model.Channel, ATTACH)
    def attach(attach, self, participant, number):
        attach(self, participant, number)
        if 0 < self.capacity < 1 << 20:
            setattr(self, MOST, getattr(self, MOST) + 1)


@mutant("processes", "closing")
def close_wakes_only_one(model):
    """Of several that wait `close` wakes one."""

    @replace(found(PARTICIPANT), WAKE_ALL)
    def wake_all(wake_all, self, waiters):
        getattr(self, WAKE)(waiters)


@mutant("subinterp", "delivery", "waiting")
def loses_a_wake_up(model):
    """Now and then who waits is not woken."""
    due = every(5)

    @replace(found(PARTICIPANT), WAKE)
    def wake(wake, self, waiters):
        if not due():
            wake(self, waiters)


@mutant("subinterp", "closing")
def close_drops_what_was_accepted(model):
    """What was accepted is gone after `close`."""

    @replace(model.Channel, "close")
    def close(close, self):
        close(self)
        while self.capacity and len(self):
            take_one_away(self)


@mutant("processes", "closing")
def iteration_ends_early(model):
    """Iteration ends at `close`, whatever lies there."""

    @replace(model.Channel, "__iter__")
    def iterate(iterate, self):
        for item in iterate(self):
            yield item
            if self.closed:
                return


@mutant("processes", "timeouts")
def a_timeout_takes_an_item(model):
    """A `receive` that times out takes what comes within the next millisecond."""

    @replace(model.Channel, "receive")
    def receive(receive, self, timeout=None):
        try:
            return receive(self, timeout)
        except TimeoutError:
            model.sleep(0.001)
            take_one_away(self)
            raise


@mutant("subinterp", "cancellation")
def a_cancelled_receive_takes_an_item(model):
    """A `receive` that raises `Cancelled` takes what comes within the next hundredth of a second."""

    @replace(model.Channel, "receive")
    def receive(receive, self, timeout=None):
        try:
            return receive(self, timeout)
        except model.Cancelled:
            time.sleep(0.01)
            take_one_away(self)
            raise


@mutant("subinterp", "waiting")
def send_nowait_ignores_receivers(model):
    """`send_nowait` on a rendezvous does not see a receiver that waits."""

    @replace(model.Channel, "send_nowait")
    def send_nowait(send_nowait, self, item):
        if self.capacity == 0 and not self.closed:
            raise WouldBlock
        send_nowait(self, item)


@mutant("processes", "waiting")
def len_lies(model):
    """`len` is never more than one."""

    @replace(model.Channel, "__len__")
    def length(length, self):
        return min(1, length(self))


@mutant("subinterp", "travelling")
def sends_what_cant_travel(model):
    """In the place of an item that can't be pickled its `repr` is sent."""

    @replace(found(PARTICIPANT), PACK)
    def pack(pack, self, item):
        try:
            return pack(self, item)
        except CannotTravel:
            return pack(self, object.__repr__(item))
