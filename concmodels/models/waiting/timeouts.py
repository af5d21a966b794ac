"""Timeouts: numbers of seconds, and the moments at which they expire."""

import time
from math import isnan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_EXACT_TYPES = (int, float)  # not their subclasses: a bool, or one of numpy's, is converted
_LONG_S = 1e9  # 30 years: all that is longer, such as an int that no float can hold, goes through `_as_float`


def must_be_seconds(timeout: float) -> float:
    """Return a timeout as a float. Raises `TypeError` or `ValueError` for what is no number of seconds."""
    if type(timeout) is float and timeout == timeout:  # not nan, which equals nothing
        return timeout
    return _as_float(timeout, "a timeout is a number of seconds, or None")


def seconds_to_sleep(seconds: float) -> float:
    """Return how long a `sleep` lasts, at least 0. Raises as `must_be_seconds`; None is refused too."""
    if seconds.__class__ in _EXACT_TYPES and 0 <= seconds < _LONG_S:
        return seconds  # the usual case, and quick: many loops call `sleep(0)`
    return max(0.0, _as_float(seconds, "sleep takes a number of seconds"))


def expired(timeout: float | None) -> bool:
    """Return whether this timeout allows no waiting at all. Raises as `must_be_seconds`."""
    if timeout is None:
        return False
    return must_be_seconds(timeout) <= 0


def deadline(timeout: float | None, clock: Callable[[], float] = time.monotonic) -> float | None:
    """Return the moment when this timeout expires; None for no timeout. Raises as `must_be_seconds`."""
    if timeout is None:
        return None
    return clock() + must_be_seconds(timeout)


def remaining(until: float | None, clock: Callable[[], float] = time.monotonic) -> float | None:
    """Return the seconds that are left until this moment, at least 0."""
    return None if until is None else max(0, until - clock())


def _as_float(value: float, what: str) -> float:
    """Convert any real number: an int, a Fraction, a Decimal, one of numpy's. `float` alone would take text as well."""
    try:
        if not isnan(value):
            return float(value)
    except TypeError:
        raise TypeError(f"{what}, not {value!r}") from None
    except OverflowError:
        raise ValueError(f"{what}, not one that is too large for a float: math.inf is for ever") from None
    except ValueError:
        pass  # a signalling nan
    raise ValueError(f"{what}, not {value!r}")
