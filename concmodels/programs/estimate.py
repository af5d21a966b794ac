"""Estimates how long a run will take: whether a short probe is worth its time, and the estimate in words.

A probe is worth its time only if the run may be long. If the run would end within half a minute even with the slowest
hop of the model, no probe is made.
"""

WORTH_SAYING_S = 60.0
_WORTH_PROBING_S = 30.0


def worth_a_probe(longest_s: float) -> bool:
    """Return whether a run that may take so many seconds is worth a probe."""
    return longest_s >= _WORTH_PROBING_S


def in_words(seconds: float) -> str:
    """Return a duration in rounded words: `about 3 minutes`."""
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= 1.5 * length:
            return f"about {seconds / length:,.0f} {unit}s"
    return f"about {seconds:.0f} seconds"
