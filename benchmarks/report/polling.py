"""Queues that look every 10 ms: where one has to be woken, a ratio to it is half of that time, and no headline."""

from benchmarks.peers import polls

EVERY = "which looks every 10 ms"


def with_note(cell: str, candidate: str) -> str:
    """Return the name, with the reason for its time if it polls."""
    return f"{candidate} ({EVERY})" if polls(cell, candidate) else candidate
