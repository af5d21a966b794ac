"""A clock for tests that something ends soon: it counts what our programs take, and not what a busy machine adds."""

import time

from concmodels.platform.measuring import held_up


def undisturbed():
    """Return the seconds on a clock that stands still while anything on this machine waits for a processor.

    Where the kernel doesn't tell how long that was, it is the monotonic clock.
    """
    return time.monotonic() - held_up()
