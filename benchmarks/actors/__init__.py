"""Actors: `concmodels.actors` on a model, and Pykka's. Each program is written twice, once for each of the two.

    ring        messages go once round a ring of actors, all under way at the same time
    ask         one actor is asked, one question after the other
    failure     an actor fails at a told message, and is asked again; so a new object has to take its place

Each function returns the seconds from the first message to the last answer; all actors have begun before.
"""

PROGRAMS = ("ring", "ask", "failure")
"""The names of the functions in `ours` and `of_pykka`."""


def wrong(what: str) -> RuntimeError:
    """Return the error for a program that has not done what it had to."""
    return RuntimeError(f"the actors have done something else: {what}")
