"""How long a run will take, in words, and whether a short probe of the same is worth its time.

A probe is worth its time only where the run may be long: where even the slow end of the model's hop would keep it
below half a minute, none is made.
"""

WORTH_SAYING_S = 60.0
_WORTH_PROBING_S = 30.0


def worth_a_probe(longest_s: float) -> bool:
    """Whether a run that may take so long is worth one."""
    return longest_s >= _WORTH_PROBING_S


def in_words(seconds: float) -> str:
    """Return a duration as people say it: `about 3 minutes`."""
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= 1.5 * length:
            return f"about {seconds / length:,.0f} {unit}s"
    return f"about {seconds:.0f} seconds"
