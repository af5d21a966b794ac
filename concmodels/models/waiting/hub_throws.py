"""The exceptions that a hub has yet to throw into its greenlets (gevent, eventlet): due ones, and ones that came late.

The hub throws a cancellation in its next round, because only there is it certain that the target waits. Until then the
throw is *due*, and no other task can complete the target's operation any more.

Other code may throw too, without notice: a `Timeout` of gevent's or eventlet's own, a `kill`. If a partner has
completed the task's operation just before, the operation returns, and the same exception is *postponed*: it is raised
at the task's next wait. A timeout that was closed meanwhile is not raised again.
"""

from functools import partial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from greenlet import greenlet

throws_due: dict[greenlet, int] = {}
"""The number of cancellations that the hub is about to throw into a greenlet."""

postponed: dict[greenlet, tuple[BaseException, object]] = {}
"""The exception that a greenlet is still to receive, and the timer behind it."""


def add_throw(unit: greenlet) -> None:
    """Note that the hub is about to throw a cancellation into this greenlet."""
    throws_due[unit] = throws_due.get(unit, 0) + 1


def remove_throw(unit: greenlet) -> None:
    """Note that a cancellation is being thrown now, or will not be thrown at all."""
    left = throws_due.pop(unit, 0) - 1
    if left > 0:
        throws_due[unit] = left


def forget_throws(unit: greenlet) -> None:
    """Drop what was still to be thrown into this greenlet, whose task has ended."""
    throws_due.pop(unit, None)
    postponed.pop(unit, None)


def postpone(unit: greenlet, error: BaseException, call_soon: Callable[[Callable[[], object]], object]) -> None:
    """Raise this exception at the next wait of this greenlet, or have the hub throw it into any other wait."""
    postponed[unit] = error, getattr(error, "timer", None)
    call_soon(partial(_throw_again, unit))


def raise_postponed(unit: greenlet) -> None:
    """Raise the exception that was postponed for the running greenlet, unless its timeout was closed meanwhile."""
    if unit in postponed and (error := _due(unit)) is not None:
        raise error


def _throw_again(unit: greenlet) -> None:
    """Throw what was postponed into a greenlet that waits for something other than a channel.

    The hub calls this after the greenlet has gone on. If it waits for a channel by then, `raise_postponed` came first.
    """
    if unit in postponed and (error := _due(unit)) is not None and not unit.dead:
        unit.throw(error)


def _due(unit: greenlet) -> BaseException | None:
    """Take out the postponed exception; return None for a timeout that was closed (its timer is another, or none)."""
    error, timer = postponed.pop(unit)
    return error if getattr(error, "timer", None) is timer else None
