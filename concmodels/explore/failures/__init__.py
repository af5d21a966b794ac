"""Failures: from a run that has failed to what a reader sees of it.

Its parts:

    diagnosis.py      from the run to the `Failure`: the shortest schedule, with every step noted
    failure.py        the `Failure`
    explanation.py    what it says: what went wrong, the lines in the order in which they ran, and why that matters
    picture.py        these lines, drawn
    moment.py         one step: which task did what, and where
    contested.py      what several tasks touch, and one of them changes
    replay_id.py      the schedule as a text, to be run again
"""
