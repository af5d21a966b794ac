"""Queues that look every 10 ms: where one has to be woken, a ratio to it is half of that time, and no headline."""

from benchmarks.peers import POLLING

EVERY = "which looks every 10 ms"


def polls(cell: str, candidate: str) -> bool:
    """Return whether the time of this candidate in this ring is mostly what it sleeps between two looks."""
    return candidate in POLLING and cell != "stream"  # while messages are waiting, each look finds one


def with_note(cell: str, candidate: str) -> str:
    """Return the name, with the reason for its time if it polls."""
    return f"{candidate} ({EVERY})" if polls(cell, candidate) else candidate
