"""Channels of the models with memory boundaries: one ring of 64-bit words in the arena, any number of senders and
receivers.

            HEAD                     TAIL                    positions count up for ever; the slot is position & mask
              v                        v
    ... [ ] [word] [word] [word] [word] [ ] ...              a small int is the word itself; other words say where
                                                             the pickled item lies: in the byte ring beside, or in a
                                                             block of its own

Senders move TAIL under the senders' lock, receivers move HEAD under the receivers' lock; a lock is held for a few
loads and stores. Closing sets a high bit of TAIL: it is then beyond every limit, so the fast path of `send` needs
no look at a flag, and the lock decides whether a racing `send` was accepted.

`_wait_for` is how a task waits here, step by step; `participant.py` says why. A message that a task waits for spends
its time in the wait of a receiver without a timeout, which is written out once more in `_wait_for_item`, and once more
in `__iter__`: all in one function, because code that a task has not run for a while is no longer in the processor's
caches, and fetching ten small functions takes longer than running them. This wait also takes one lock less. The
receiver joins the list first and looks for an item after that; a sender stores its item first and looks for receivers
after that. Between the two steps both give a lock back, which is a full fence: so at least one of them sees the other,
and no receiver sleeps beside an item.

TAIL tells receivers that an item is there, and HEAD tells senders that a place is free. The two sides have different
locks, so these two words are `_ordered` (`platform/memory.py`): on x86-64 that is `_control` itself.

One wait instead of the three was tried. The file had 126 lines less, and a hop that wakes its receiver took 29 to 36 %
more CPU: that is why three stay, and why `send` has `Participant.wake` written out as well.

A rendezvous (capacity 0) uses neither ring nor positions: see `rendezvous.py`.
"""

from _thread import get_ident
from math import inf

from concmodels.errors import ChannelClosed, WouldBlock
from concmodels.models.memory.arena import ALERT, LIST, NEXT, OUTCOME, OWNER, PENDING, PREVIOUS, WAITING, deadline
from concmodels.models.memory.channels.layout import (
    BYTES_TAIL,
    CLOSED,
    HEAD,
    IN_CHUNK,
    POSITION,
    RECEIVERS,
    SENDERS,
    TAIL,
    ChannelMemory,
    make,
)
from concmodels.models.memory.channels.words import CONSTANT, LEAST, RECORDS, kind_of
from concmodels.models.memory.looking import Looking
from concmodels.models.memory.participant import Participant, current, participants
from concmodels.models.memory.pickling import dumps, unpack_arrived
from concmodels.platform.waking import block, wake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Any, Self

NOTHING: Any = object()  # what `_take` returns when the channel is empty
LAST = RECEIVERS + 1  # the second word of a list
_CONSTANTS = frozenset({bool, type(None)})
_UNLIKE_OTHERS = _CONSTANTS | {bytes, bytearray}  # types of items that need not be pickled
_CHECK_EVERY = 256  # the sends between two checkpoints of a task that never has to wait


class Channel(ChannelMemory):
    """One end of a channel in this process or interpreter; all ends are equal."""

    __slots__ = ("_looking", "_rendezvous")

    def __init__(self, capacity: float = 0, name: str | None = None) -> None:
        participant = current(self.kind)
        self._attach(participant, make(participant, capacity, name))

    def _attach(self, participant: Participant, number: int) -> None:
        super()._attach(participant, number)
        self._looking = Looking(participant.words)
        if self.capacity == 0:
            from concmodels.models.memory.channels import rendezvous  # 300 children would import it, and few need it

            self._rendezvous = rendezvous

    # Sending.

    def send(self, item: Any, timeout: float | None = None) -> None:
        """Send, waiting for room (on a rendezvous: until it is taken). Raises `ChannelClosed` or `TimeoutError`."""
        # The numbers are the steps in `processes.Channel`. What is no small int takes them in `_append`.
        if type(item) is int and item >= LEAST:
            self._grab_send(False) or self._wait_send()  # 1. the senders' lock
            control = self._control
            tail = control[TAIL]
            # `_limit` is 0 until the first send, and at most what HEAD and the capacity allowed when `_append_now` last
            # looked. HEAD only grows, so below it there is room. The TAIL of a closed channel is beyond it, and so is
            # now and then a send that is due for a checkpoint.
            if tail < self._limit:
                try:
                    self._ring[tail & self._mask] = item  # 2. the word at TAIL
                except ValueError, OverflowError:  # more than 63 bits
                    self._free_send()
                else:
                    self._ordered[TAIL] = tail + 1  # 3. which publishes it
                    self._free_send()  # 4. the fence between "the item is there" and "does a receiver wait?"
                    if control[RECEIVERS]:  # 5. wake the first: `Participant.wake`, written out
                        words = self._words
                        self._grab_claim(False) or self._wait_claim()
                        record = control[RECEIVERS]
                        if not record:  # the receiver has seen the item and left, or another sender was faster
                            self._free_claim()
                            return
                        after = control[RECEIVERS] = words[record + NEXT]
                        words[after + PREVIOUS if after else self._at + LAST] = 0
                        words[record + LIST] = 0
                        owner = words[record + OWNER] or record
                        if owner != record and words[owner + OUTCOME] == PENDING:
                            words[owner + OUTCOME] = 0
                        self._free_claim()
                        wake(self.home.wakers.get(owner) or self.home.open_waker(owner))
                    return
            else:
                self._free_send()
            self._send_payload(self._load(item), timeout)
        else:
            self._send_other(item, timeout)

    def _send_other(self, item: Any, timeout: float | None) -> int:
        """Send an item that is no small int; the usual case, a small one that there is room for, is written out.

        Returns the item's position; so do the methods below.

        What is written out is `_load`, `_send_payload` and all that they call: a short text takes 2.7 us of CPU, from
        one process to another, where it took 5.2 (a tuple 2.7 instead of 4.9, a dict of ten 3.4 instead of 5.6).
        """
        kind = type(item)
        if self._in_pieces or (kind in _UNLIKE_OTHERS and (kind in _CONSTANTS or len(item) > self._large)):
            return self._send_payload(self._load(item), timeout)
        try:
            data = dumps(item, 5)
        except Exception:  # noqa: BLE001 - whatever it was, `pack` says it better
            data = self.home.pack(item)
        size = len(data)
        if size > self._most_bytes:
            return self._send_payload(self._placed(data), timeout)
        self._grab_send(False) or self._wait_send()
        control = self._control
        tail, at = control[TAIL], control[BYTES_TAIL]
        end = at + 8 + (size + 7 & -8)
        if tail < self._limit and end <= self._bytes_limit:
            place = at & self._bytes_mask
            self._words[self._bytes_at + place >> 3] = size
            self._bytes[place + 8 : place + 8 + size] = data
            control[BYTES_TAIL] = end
            self._ring[tail & self._mask] = at + RECORDS[0]
            self._ordered[TAIL] = tail + 1
            self._free_send()
            if control[RECEIVERS]:
                self.home.wake(self._at + RECEIVERS)
            return tail
        self._free_send()
        return self._send_payload(data, timeout)

    def send_nowait(self, item: Any) -> None:
        """Send without waiting. Raises `WouldBlock` or `ChannelClosed`."""
        payload = self._load(item)
        try:
            if not self._put(payload):
                raise WouldBlock(f"{self!r} has no room, and no task waits to receive")
        except BaseException:
            self._discard(payload)
            raise

    def _send_payload(self, payload: int | bytes, timeout: float | None) -> int:
        """Send what `_load` made of an item. If that fails, the block that it may lie in is freed."""
        try:
            if self.capacity != 0:
                return self._send_buffered(payload, timeout)
            self._rendezvous.send(self, payload, timeout)
            return 0  # nothing has a position there
        except BaseException:
            self._discard(payload)
            raise

    def _put(self, payload: int | bytes) -> bool:
        """Send a payload, if that can be done without waiting; return whether it was sent."""
        if self.capacity != 0:
            return self._append(payload) > 0
        sent: bool = self._rendezvous.send_nowait(self, payload)
        return sent

    def _send_buffered(self, payload: int | bytes, timeout: float | None) -> int:
        self.home.checkpoint()  # also for a task that never waits: `_limit` sends it here now and then
        until, woken = None, False
        while not (end := self._append(payload)):
            if self.capacity == inf:
                raise MemoryError(f"{self._most} items lie in this channel: give `run` more `channel_bytes`")
            if timeout is not None:
                until = until or deadline(timeout)
                if timeout <= 0:
                    raise self.would_wait(True)
            woken = self._wait_for(SENDERS, self._receivers, self._is_full, until, woken)
        return end - 1

    def _append(self, payload: int | bytes) -> int:
        """Put a payload behind the others, if there is room; return the position behind it, or 0."""
        self.home.wait_slot()  # before the lock: a new slot may have to be asked for
        with self._senders:
            end = self._append_now(payload)
        if end:
            self._wake_receiver()
        return end

    def _append_now(self, payload: int | bytes) -> int:
        """Do the same for a caller that holds the senders' lock, and wakes a receiver afterwards."""
        control = self._control
        tail = control[TAIL]
        if tail >= CLOSED:
            self._refuse_closed(True)
        end = self._ordered[HEAD] + self._most  # up to there the places are free, and nothing is stored there before
        self._limit = min(end, tail + _CHECK_EVERY)
        if tail >= end:
            return 0
        word = self._ring[tail & self._mask] = payload if isinstance(payload, int) else self._store(payload)
        self._ordered[TAIL] = tail + 1
        if RECORDS[1] <= word < LEAST and kind_of(word)[0] != CONSTANT:
            self.home.let_go()  # of the block; a task that is killed before this has the senders' lock
        return int(tail + 1)

    def _wake_receiver(self) -> None:
        if self._control[RECEIVERS]:
            self.home.wake(self._at + RECEIVERS)

    # Receiving.

    def receive(self, timeout: float | None = None) -> Any:
        """Receive, waiting for an item. Raises `ChannelClosed` (closed and drained) or `TimeoutError`."""
        self._grab_receive(False) or self._wait_receive()
        control = self._control
        head = control[HEAD]
        if head < self._ready:  # up to there `_look` has seen items
            word = self._ring[head & self._mask]
            if word >= LEAST:
                self._ordered[HEAD] = head + 1
                self._free_receive()
                if self._bounded and control[SENDERS]:
                    self.home.wake(self._at + SENDERS)
                return word
            return self._take_payload(head, word)
        self._free_receive()
        return self._receive_waiting(timeout, self._take)

    def receive_nowait(self) -> Any:
        """Receive without waiting. Raises `WouldBlock` or `ChannelClosed`."""
        item = self._take()
        if item is NOTHING:
            raise WouldBlock(f"{self!r} is empty")
        return item

    def __iter__(self) -> Iterator[Any]:
        """Receive until the channel is closed and drained; the fast way to receive.

        The numbers are the steps in `processes.Channel`. The wait is `_wait_for_item`, written out for the thread that
        runs the task; for the same reason, which the head of this file has, all that the loop uses is a local variable.
        With a loop over `receive` instead of all this, a hop that wakes the receiver takes 1.7 times the CPU (ring
        of 100 processes, one message in flight, 8 rounds: 1.2 to 2.4 times; subinterpreters 1.2, 1.0 to 1.8). While
        work is waiting, both take the same.
        """
        if self.capacity == 0:
            yield from self._iterate_rendezvous()
            return
        participant, control, ring, mask, words = self.home, self._control, self._ring, self._mask, self._words
        ordered = self._ordered
        bounded, woken = self._bounded, False
        grab, wait, free = self._grab_receive, self._wait_receive, self._free_receive
        grab_claim, wait_claim, free_claim = self._grab_claim, self._wait_claim, self._free_claim
        slot, thread, ident, block_on = participant.first, participant.first_thread, get_ident, block
        me, waker, plain = slot.at, slot.waker, slot.guard is None
        head_at, tail_at, last, closed, least, in_chunk = HEAD, TAIL, LAST, CLOSED, LEAST, IN_CHUNK
        alert, before, behind, listed, waiting, waiters = ALERT, PREVIOUS, NEXT, LIST, WAITING, self._at + RECEIVERS
        rest, finds, blocked = self._looking.rest, self._looking.finds, self._looking.blocked
        while True:
            grab(False) or wait()  # 1. the receivers' lock
            head = control[head_at]
            # There are three ways to see an item. `_look` has seen it before. Or TAIL says so, which is enough in the
            # middle of a chunk (at its start there may be pages behind to give back) while the channel is open (a
            # closed one has its bit in TAIL). Or `_look` sees it now.
            if head < self._ready or (head & in_chunk and head < control[tail_at] < closed) or self._look(head):
                word = ring[head & mask]  # 2. the word at HEAD
                head += 1
                if word >= least:
                    ordered[head_at] = head  # 3. which frees the place
                    free()  # 4.
                    if bounded and control[SENDERS]:  # 5. wake a sender that waits for room
                        participant.wake(self._at + SENDERS)
                    yield word
                else:
                    yield self._take_payload(head - 1, word)  # 3. to 5., for what is pickled
                # Another item is there (or the channel was closed): receive it. If not, join the waiters at once,
                # without the receivers' lock: TAIL is looked at once more below, when it can't be missed.
                if head < self._ready or control[tail_at] != head:
                    continue
                woken = False
            else:
                over = ordered[tail_at] == closed | head
                free()
                if over:
                    return
            # No item. Now and then, or all the time if that is cheaper: look for one for a moment (`looking.py`).
            measured = not rest
            if rest:
                rest -= 1
            elif finds(control, tail_at, head):
                if words[alert] or not plain:
                    participant.checkpoint()
                woken = False
                continue
            # Enter the list, look once more, block. The function does what is rare: a task that was woken for
            # nothing and waits in front, the main task (it has a guard), and a thread that is not the task's own.
            if woken or not plain or ident() != thread:
                woken = self._wait_for_item(woken)
                if measured:
                    rest = blocked()
                continue
            number = slot.waits = slot.waits + 1
            if words[alert]:
                participant.checkpoint(slot)
            grab_claim(False) or wait_claim()  # into the list, behind the others: `Arena.push`
            tail = words[me + before] = control[last]
            words[tail + behind if tail else waiters] = control[last] = me
            words[me + behind] = 0
            words[me + listed] = waiters
            free_claim()  # the fence between "I wait" and "is there an item?"
            if ordered[head_at] != control[tail_at]:  # in this order: else another may receive in between
                woken = participant.stop_waiting(me)
                continue
            try:
                while words[me + listed]:
                    words[me + waiting] = number
                    try:
                        block_on(waker)
                    except InterruptedError:  # a signal, and its handler has run: the task was not woken
                        continue
                    if words[alert]:
                        participant.answer(slot)
                        participant.checkpoint(slot)
                    else:
                        words[me + waiting] = 0
            except BaseException:
                self._pass_on(waiters, me)
                raise
            woken = True
            if measured:
                rest = blocked()

    def _iterate_rendezvous(self) -> Iterator[Any]:
        while True:
            try:
                item = self._rendezvous.receive(self, None)
            except ChannelClosed:
                return
            yield item

    def _receive_waiting(self, timeout: float | None, take: Callable[[], Any]) -> Any:
        if self.capacity == 0:
            return self._rendezvous.receive(self, timeout)
        until, woken = None, False
        while (item := take()) is NOTHING:
            if timeout is not None:
                until = until or deadline(timeout)
                if timeout <= 0:
                    raise self.would_wait(False)
            if until is None:
                woken = self._look_or_wait(woken)
            else:
                self.home.checkpoint()
                woken = self._wait_for(RECEIVERS, self._senders, self._is_empty, until, woken)
        return item

    def _take(self) -> Any:
        """Take the first item; return `NOTHING` if there is none."""
        if self.capacity == 0:
            return self._rendezvous.receive_nowait(self, NOTHING)
        self._grab_receive(False) or self._wait_receive()
        head = self._control[HEAD]
        if not self._look(head):
            closed = self._ordered[TAIL] == CLOSED | head
            self._free_receive()
            if closed:
                self._refuse_closed(False)
            return NOTHING
        return self._take_payload(head, self._ring[head & self._mask])

    def _take_payload(self, head: int, word: int) -> Any:
        """Take the item of this word. Called with the receivers' lock, which it gives back."""
        control = self._control
        try:
            data = self._unload(word) if word < LEAST else None
            self._ordered[HEAD] = head + 1
        finally:
            self._free_receive()
        if self._bounded and control[SENDERS]:
            self.home.wake(self._at + SENDERS)
        # Last, because to unpickle runs the program's code, which may wait or fail.
        return self._opened(word, data) if data is None else unpack_arrived(data, "an item of this channel")

    def _fetch(self, head: int, word: int) -> tuple[int, bytes | None]:
        """Copy out what this word stands for, and move HEAD; return the word and what was copied.

        The caller holds both locks, and so needs no order; afterwards it wakes a sender, and opens what was fetched.
        """
        data = self._unload(word) if word < LEAST else None
        self._control[HEAD] = head + 1
        return word, data

    def _wake_sender(self) -> None:
        if self._bounded and self._control[SENDERS]:
            self.home.wake(self._at + SENDERS)

    # Waiting.

    def _is_empty(self) -> bool:
        tail: int = self._control[TAIL]
        return tail == self._control[HEAD]

    def _is_full(self) -> bool:
        tail: int = self._control[TAIL]
        return tail < CLOSED and tail >= self._control[HEAD] + self._most

    def _wait_for(
        self,
        waiters: int,
        others: Any,
        must_wait: Callable[[], bool],
        until: float | None,
        woken: bool,
    ) -> bool:
        """Wait in one of the lists, unless that has become needless; return whether this task was woken.

        `others` is the lock of the tasks that could make this needless. While it is held, nothing can happen between
        the look (`must_wait`) and the entry in the list. `woken` says whether this task was woken before, and another
        was faster: then it waits in front. The caller has made a checkpoint.
        """
        participant, arena = self.home, self.home.arena
        me = participant.begin_wait()
        with others, arena.claim:
            if not must_wait():
                return woken
            arena.push(self._at + waiters, me, front=woken)
        try:
            # A wake-up that is left over from an earlier wait may come here: only the partner that takes this task out
            # of the list means this wait.
            while participant.words[me + LIST]:
                if not participant.wait(until) and not participant.stop_waiting(me):
                    raise self.not_in_time(waiters == SENDERS)
        except TimeoutError:
            raise
        except BaseException:
            self._pass_on(self._at + waiters, me)
            raise
        return True

    def _look_or_wait(self, woken: bool) -> bool:
        """Do what `_wait_for_item` does, but look for an item first, if that has been the cheaper way lately."""
        looking, control = self._looking, self._control
        if looking.rest:
            looking.rest -= 1
            return self._wait_for_item(woken)
        if looking.finds(control, TAIL, control[HEAD]):
            self.home.checkpoint()
            return False
        woken = self._wait_for_item(woken)
        looking.blocked()
        return woken

    def _wait_for_item(self, woken: bool) -> bool:
        """Wait for an item or a close, unless there is one by now; return whether this task was woken.

        `woken` is what it is in `_wait_for`; the head of this file says how the two differ.
        """
        participant, words, control, waiters = self.home, self._words, self._control, self._at + RECEIVERS
        slot = participant.first if get_ident() == participant.first_thread else participant.wait_slot()
        me, number = slot.at, slot.waits + 1
        slot.waits = number
        if words[ALERT] or slot.guard is not None:  # a checkpoint would find nothing else
            participant.checkpoint(slot)
        self._grab_claim(False) or self._wait_claim()
        if woken:
            participant.arena.push(waiters, me, front=True)
        else:  # as `Arena.push`
            last = words[me + PREVIOUS] = control[RECEIVERS + 1]
            words[last + NEXT if last else waiters] = control[RECEIVERS + 1] = me
            words[me + NEXT] = 0
            words[me + LIST] = waiters
        # The lost wake-up is prevented here. This task is in the list, and giving the lock back makes that visible
        # before the task looks for an item. A sender that stores one after that look, and gives its lock back, then
        # looks at the list, finds the task, and wakes it. Without the two fences each could miss the other's store.
        self._free_claim()
        if self._ordered[HEAD] != control[TAIL]:  # in this order: else another may receive in between
            return participant.stop_waiting(me) or woken
        try:
            while words[me + LIST]:
                words[me + WAITING] = number
                try:
                    block(slot.waker)
                except InterruptedError:  # a signal, and its handler has run: the task was not woken
                    continue
                if words[ALERT] or slot.guard is not None:
                    participant.answer(slot)
                    participant.checkpoint(slot)
                else:
                    words[me + WAITING] = 0
        except BaseException:
            self._pass_on(waiters, me)
            raise
        return True

    def _pass_on(self, waiters: int, me: int) -> None:
        """Leave the list without taking. If this task was woken by then, the item is for the next waiter: wake it."""
        if self.home.stop_waiting(me):
            self.home.wake(waiters)

    # Closing, and the rest.

    def close(self) -> None:
        """Close the channel for all tasks. Items that it has accepted can still be received."""
        if self.capacity == 0:
            self._rendezvous.close(self)
            return
        control = self._control
        with self._senders:
            if control[TAIL] >= CLOSED:
                return
            self._ordered[TAIL] = control[TAIL] | CLOSED
        self.home.wake_all(self._at + RECEIVERS)
        self.home.wake_all(self._at + SENDERS)

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return bool(self._ordered[TAIL] >= CLOSED)

    def __len__(self) -> int:
        """Return how many items it holds now."""
        return max(0, (self._ordered[TAIL] & POSITION) - self._control[HEAD]) if self.capacity != 0 else 0

    def __bool__(self) -> bool:
        return True  # an empty channel is a channel

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        label = f" {self.name!r}" if self.name else ""
        state = "closed" if self.closed else "open"
        return f"<Channel{label} {len(self)} of {self.capacity} {state}>"

    def __reduce__(self) -> tuple[Callable[..., Channel], tuple[Any, ...]]:
        """Pickle the channel as (run, number) and nothing else."""
        return revive, (type(self), self.home.run, self.number)

    def detach(self) -> None:
        """Let go of the run's memory, which is about to be unmapped; every later use raises `RuntimeError`."""
        for view in (self._control, self._ring, self._bytes):
            view.release()
        self.__class__ = DetachedChannel


class DetachedChannel(Channel):
    """A channel whose run is over: every channel turns into one."""

    kind = "boundary"
    __slots__ = ()

    def __init__(self) -> None:
        self._refuse()

    def _refuse(self, *_: object, **__: object) -> Any:
        raise RuntimeError("this channel belongs to a run that is over")

    send = send_nowait = receive = receive_nowait = close = __len__ = __reduce__ = __iter__ = __enter__ = _refuse
    closed = property(_refuse)

    def __exit__(self, *_: object) -> None:
        """Do nothing: the run has closed it."""

    def __repr__(self) -> str:
        return f"<channel {self.name or self.number} of a run that is over>"


def revive(kind: type[Channel], run: int, number: int) -> Channel:
    """Return this participant's own end of a channel that arrives."""
    participant = participants.get(run)
    if participant is None:
        raise RuntimeError("this channel belongs to another run, or to one that is over")
    channel: Channel | None = participant.known_channel(number)
    if channel is None:
        with participant.opening_lock:  # two threads must not make one each: the run's end would know only the later
            channel = participant.known_channel(number)
            if channel is None:
                channel = kind.__new__(kind)
                channel._attach(participant, number)
    return channel
