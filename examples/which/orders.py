"""Two functions for `python -m concmodels.which`: one computes, and the other one waits."""

import time


def price(order=2_000):
    """Compute in Python."""
    return sum(item * item % 97 for item in range(order))


def fetch(order=1):
    """Wait for another program, as a request does."""
    time.sleep(0.02)
    return {"order": order}
