"""Channels between tasks that share one memory, each broken in one way."""

from concmodels.errors import ChannelClosed, WouldBlock
from mutants import every, mutant, replace
from mutants.steps import BUFFER, CAPACITY, DONE, LET_OTHERS_RUN, OFFER, QUEUE, RECEIVERS, SENDERS, TAKE


def take_one_away(channel):
    """Take an item that nobody gets, if there is one."""
    try:
        return channel.receive_nowait()
    except WouldBlock, ChannelClosed:
        return None


@mutant("threads", "delivery.each_item_reaches_one_receiver")
def loses_an_item(model):
    """An item is lost now and then."""
    due = every(5)

    @replace(model.Channel, "receive")
    def receive(receive, self, timeout=None):
        if due():
            take_one_away(self)
        return receive(self, timeout)


@mutant("asyncio", "delivery.one_to_one_is_a_stream")
def gives_an_item_twice(model):
    """An item is given twice now and then."""
    due = every(5)

    @replace(model.Channel, "receive")
    async def receive(receive, self, timeout=None):
        if not due() or not hasattr(self, "last"):
            self.last = await receive(self, timeout)
        return self.last


@mutant("greenlet", "delivery.items_arrive_in_order")
def breaks_the_order(model):
    """Of three items that lie there the last is received first."""

    @replace(model.Channel, TAKE)
    def take(take, self):
        buffer = getattr(self, BUFFER)
        if len(buffer) > 2:
            buffer.rotate(1)
        return take(self)


@mutant("threads", "waiting.send_nowait_refuses_when_full")
def holds_one_too_many(model):
    """A channel holds one item more than its capacity."""

    @replace(model.Channel, "__init__")
    def init(init, self, capacity=0, name=None):
        init(self, capacity, name)
        self.asked = capacity
        if capacity:
            setattr(self, CAPACITY, capacity + 1)

    model.Channel.capacity = property(lambda self: self.asked)


@mutant("trio", "waiting.send_nowait_refuses_when_full")
def holds_one_too_few(model):
    """A channel of more than one place has one place less."""

    @replace(model.Channel, "__init__")
    def init(init, self, capacity=0, name=None):
        init(self, capacity - (1 < capacity < 1 << 60), name)
        self.asked = capacity

    model.Channel.capacity = property(lambda self: self.asked)


@mutant("threads", "waiting.send_nowait_needs_a_partner")
def a_rendezvous_holds_one(model):
    """`send` on a rendezvous returns before anybody takes the item, once."""

    @replace(model.Channel, "__init__")
    def init(init, self, capacity=0, name=None):
        init(self, capacity, name)
        setattr(self, CAPACITY, capacity or 1)
        self.asked = capacity

    @replace(model.Channel, "__len__")
    def length(length, self):
        return length(self) if self.asked else 0

    model.Channel.capacity = property(lambda self: self.asked)


@mutant("threads", "closing.close_wakes_all_receivers")
def close_wakes_only_one(model):
    """Of several receivers that wait, `close` wakes one."""

    @replace(model.Channel, "close")
    def close(close, self):
        receivers = getattr(self, RECEIVERS)
        while len(receivers) > 1:
            receivers.pop()
        close(self)


@mutant("greenlet", "closing.what_was_accepted_stays_receivable")
def close_drops_what_was_accepted(model):
    """What was accepted is gone after `close`."""

    @replace(model.Channel, "close")
    def close(close, self):
        close(self)
        getattr(self, BUFFER).clear()


@mutant("trio", "closing.close_refuses_waiting_senders")
def close_accepts_who_waits(model):
    """`close` accepts the items of the senders that still wait."""

    @replace(model.Channel, "close")
    def close(close, self):
        senders = getattr(self, SENDERS)
        while senders:
            sender = senders.popleft()
            if sender.claim(DONE):
                getattr(self, BUFFER).append(sender.item)
                sender.wake()
        close(self)


@mutant("greenlet", "closing.a_closed_channel_accepts_nothing")
def accepts_after_close(model):
    """`send` on a closed channel returns."""

    @replace(model.Channel, "send")
    def send(send, self, item, timeout=None):
        try:
            send(self, item, timeout)
        except ChannelClosed:
            pass


@mutant("threads", "closing.close_is_idempotent")
def a_second_close_fails(model):
    """A second `close` raises `ChannelClosed`."""

    @replace(model.Channel, "close")
    def close(close, self):
        if self.closed:
            raise ChannelClosed
        close(self)


@mutant("threads", "closing.with_closes")
def with_does_not_close(model):
    """The end of a `with` leaves the channel open."""

    @replace(model.Channel, "__exit__")
    def leave(leave, self, *error):
        pass


@mutant("asyncio", "closing.iteration_ends")
def iteration_ends_early(model):
    """Iteration ends at `close`, whatever lies there."""

    @replace(model.Channel, "__anext__")
    async def following(following, self):
        if self.closed:
            raise StopAsyncIteration
        return await following(self)


@mutant("threads", "timeouts.a_timeout_that_races_a_partner_is_exact")
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


@mutant("greenlet", "timeouts.a_timed_out_send_has_not_delivered")
def a_timed_out_send_delivers(model):
    """A `send` that times out has sent nevertheless."""

    @replace(model.Channel, "send")
    def send(send, self, item, timeout=None):
        try:
            send(self, item, timeout)
        except TimeoutError:
            getattr(self, BUFFER).append(item)
            raise


@mutant("asyncio", "same_turn.an_item_in_the_turn_of_the_timeout")
def a_timeout_takes_what_comes_in_its_turn(model):
    """A `receive` that times out has taken an item, if one has come just then."""

    @replace(model.Channel, "receive")
    async def receive(receive, self, timeout=None):
        try:
            return await receive(self, timeout)
        except TimeoutError:
            take_one_away(self)
            raise


@mutant("trio", "timeouts.receive_times_out")
def times_out_too_early(model):
    """A timeout strikes at half of its time."""

    @replace(model.Channel, "receive")
    async def receive(receive, self, timeout=None):
        return await receive(self, timeout if timeout is None else timeout / 2)


@mutant("asyncio", "timeouts.receive_times_out")
def times_out_too_late(model):
    """A timeout strikes a minute late."""

    @replace(model.Channel, "receive")
    async def receive(receive, self, timeout=None):
        return await receive(self, timeout + 60 if timeout else timeout)


@mutant("asyncio", "same_turn.an_item_after_the_cancellation", "cancellation")
def a_cancelled_receive_takes_an_item(model):
    """A `receive` that raises `Cancelled` has taken an item, if one has come just then."""

    @replace(model.Channel, "receive")
    async def receive(receive, self, timeout=None):
        try:
            return await receive(self, timeout)
        except model.Cancelled:
            take_one_away(self)
            raise


@mutant("threads", "delivery.items_arrive_in_order", "waiting")
def loses_a_wake_up(model):
    """Now and then a sender puts its item into the buffer although somebody waits for it."""
    due = every(7)

    @replace(model.Channel, OFFER)
    def offer(offer, self, item):
        buffer = getattr(self, BUFFER)
        if getattr(self, RECEIVERS) and len(buffer) < self.capacity and not self.closed and due():
            buffer.append(item)
            return True
        return offer(self, item)


@mutant("asyncio", "waiting.send_waits_while_full")
def leaves_a_sender_waiting(model):
    """A sender that waits for room stays out when an item is taken."""

    @replace(model.Channel, TAKE)
    def take(take, self):
        buffer = getattr(self, BUFFER)
        return buffer.popleft() if buffer else take(self)


@mutant("trio", "waiting.send_nowait_needs_a_partner")
def send_nowait_ignores_receivers(model):
    """`send_nowait` on a rendezvous does not see a receiver that waits."""

    @replace(model.Channel, "send_nowait")
    def send_nowait(send_nowait, self, item):
        if self.capacity == 0 and not self.closed:
            raise WouldBlock
        send_nowait(self, item)


@mutant("greenlet", "waiting.send_waits_while_full")
def len_lies(model):
    """`len` is never more than one."""

    @replace(model.Channel, "__len__")
    def length(length, self):
        return min(1, length(self))


@mutant("threads", "delivery.a_sender_that_waits_is_served_before_long", "same_turn", "competing")
def serves_the_last_first(model):
    """Of several receivers that wait the last is served first."""

    @replace(model.Channel, QUEUE)
    def queue(queue, self, waiter, waiting):
        waiting.appendleft(waiter)


@mutant("greenlet", "delivery.busy_channels_let_others_run")
def never_lets_others_run(model):
    """A task that never has to wait lets nobody else run."""
    setattr(model.Channel, LET_OTHERS_RUN, staticmethod(lambda: None))


@mutant("asyncio", "delivery.any_value_is_an_item")
def takes_none_for_nothing(model):
    """An item that is `None` is passed over."""

    @replace(model.Channel, "receive")
    async def receive(receive, self, timeout=None):
        while (item := await receive(self, timeout)) is None:
            pass
        return item
