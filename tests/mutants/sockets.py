"""Waits for sockets, each broken in one way.

Three defects are not here, because no guarantee can see them. A thread that is not woken from its poll goes on a second
later, when it looks by itself; `test_wakers.py` asserts that it was woken. A thread that goes on polling a waker that
was woken for another one only uses the processor: `test_wakers.py` measures that. And a thread that reads its claim
without its lock (`PollingWaiter.waits`) is wrong only in the memory model: on x86 every lock is a full fence, and so no
test finds it.
"""

from mutants import every, mutant, replace
from mutants.steps import (
    BEGIN_WAIT,
    CLAIM_OR_WAIT,
    END_WAIT,
    GEVENT_WAIT,
    IS_CLOSED,
    IS_OVER,
    POLLED_SOCKETS,
    POLLING,
    SOCKET_WAITER,
    SOCKET_WAITS,
    WAITS,
    found,
)


@mutant("threads", "sockets_ends")
def goes_on_without_a_claim(model):
    """A thread whose socket is ready, or closed, goes on without a claim."""

    @replace(found(POLLING), CLAIM_OR_WAIT)
    def claim_or_wait(claim_or_wait, self, outcome):
        return True


@mutant("gevent", "sockets_ends")
def refuses_until_the_task_has_gone_on(model):
    """A wait that is over keeps others from waiting for the same socket, until its task goes on."""

    @replace(found(GEVENT_WAIT), IS_OVER)
    def is_over(is_over, self):
        return False


@mutant("rawthreads", "sockets_ends")
def forgets_no_wait(model):
    """A wait that is over keeps others from waiting for the same socket for ever."""

    @replace(found(POLLED_SOCKETS), END_WAIT)
    def end(end, self, wait):
        pass

    @replace(found(POLLING), IS_OVER)
    def is_over(is_over, self):
        return False


@mutant("threads", "sockets_ends")
def sees_no_close(model):
    """A socket that is closed without a word is never noticed."""

    @replace(found(POLLING), IS_CLOSED)
    def is_closed(is_closed, self):
        return False


@mutant("greenlet", "sockets_ends")
def lets_a_second_task_in(model):
    """A second task takes over the wait of the first."""

    @replace(found(SOCKET_WAITS), BEGIN_WAIT)
    def begin(begin, self, wait):
        getattr(self, WAITS)[wait.number, wait.direction] = wait


@mutant("threads", "sockets_ends")
def tells_one_direction_only(model):
    """`notify_closing` ends the wait of the reader, and not that of the writer."""
    waits = getattr(model, SOCKET_WAITER).sockets

    def notify_closing(socket):
        wait = waits.get(socket.fileno(), "readable")
        if wait is not None:
            wait.waiter.finish("closed")

    model.notify_closing = notify_closing


@mutant("trio", "sockets_ends")
def tells_nobody(model):
    """`notify_closing` does nothing."""
    model.notify_closing = lambda socket: None


@mutant("tasklets", "sockets_ends")
def is_no_checkpoint_when_ready(model):
    """A wait for a socket that is ready returns without looking for a cancellation."""
    from select import POLLIN, poll

    @replace(model, "wait_readable")
    def wait_readable(wait_readable, socket, timeout=None):
        if timeout == timeout and hasattr(socket, "fileno") and socket.fileno() >= 0:
            poller = poll()
            poller.register(socket, POLLIN)
            if poller.poll(0):
                return
        wait_readable(socket, timeout)


@mutant("rawthreads", "sockets")
def takes_a_byte(model):
    """`wait_readable` takes the first byte."""

    @replace(model, "wait_readable")
    def wait_readable(wait_readable, socket, timeout=None):
        wait_readable(socket, timeout)
        if hasattr(socket, "recv"):
            try:
                socket.recv(1)
            except OSError:
                pass


@mutant("greenlet", "sockets")
def returns_before_there_is_room(model):
    """`wait_writable` returns at once, now and then."""
    due = every(3)

    @replace(model, "wait_writable")
    def wait_writable(wait_writable, socket, timeout=None):
        if not due():
            wait_writable(socket, timeout)


@mutant("anyio", "sockets")
def a_timeout_of_zero_does_not_look(model):
    """A timeout of 0 raises `TimeoutError` even if the socket is ready."""

    @replace(model, "wait_readable")
    async def wait_readable(wait_readable, socket, timeout=None):
        if timeout is not None and timeout <= 0:
            raise TimeoutError
        await wait_readable(socket, timeout)
