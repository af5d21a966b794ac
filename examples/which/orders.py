"""Two functions for `python -m concmodels.which`: one computes, and the other one waits."""

import time


def price(order: int = 2_000) -> int:
    """Compute in Python."""
    return sum(item * item % 97 for item in range(order))


def fetch(order: int = 1) -> dict[str, int]:
    """Wait for another program, as a request does."""
    time.sleep(0.02)
    return {"order": order}
