"""A function whose module imports an extension that loads in the main interpreter alone."""

import greenlet


def compute():
    assert greenlet.getcurrent() is not None
    return sum(i * i for i in range(100_000))
