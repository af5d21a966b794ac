"""How long a run will take, told from a short probe of the same.

A probe is worth its time only where the run may be long: where even the slow end of the model's hop would keep it
below half a minute, none is made.
"""

from concmodels.programs.plan import Plan

WORTH_SAYING_S = 60.0
_WORTH_PROBING_S = 30.0
_BURST = 256


def probe_sizes(plan: Plan) -> list[int]:
    """Return how many messages each lap of the probe sends: one alone, then a burst; none if it isn't worth it."""
    if not worth_a_probe(plan.hops * plan.facts.hop):
        return []
    return [1] if plan.window == 1 else [1, min(_BURST, plan.window)]


def worth_a_probe(longest_s: float) -> bool:
    """Whether a run that may take so long is worth one."""
    return longest_s >= _WORTH_PROBING_S


def estimate(plan: Plan, took: list[float]) -> float:
    """Return the seconds that the run will take, from what each lap of its probe took.

    One message alone tells the latency of the ring. What every further one of a burst adds tells its pace, unless the
    credits limit it: then a burst of as many as may be under way tells it.
    """
    alone = took[0]
    if plan.window == 1:
        return alone * plan.messages
    burst = min(_BURST, plan.window)
    if plan.window <= _BURST:
        return took[1] * plan.messages / burst
    return alone + max(took[1] - alone, took[1] / _BURST) / (burst - 1) * (plan.messages - 1)


def in_words(seconds: float) -> str:
    """Return a duration as people say it: `about 3 minutes`."""
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= 1.5 * length:
            return f"about {seconds / length:,.0f} {unit}s"
    return f"about {seconds:.0f} seconds"
