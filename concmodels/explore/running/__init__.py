"""Runs of a scenario: single ones, and those of a search, which are counted, watched and judged.

Its parts:

    scenario.py      what is explored: a function that every schedule starts afresh
    options.py       what a search is told
    run.py           one run, on one schedule
    runs.py          the runs of a search
    watchdog.py      what ends a search from outside: Ctrl-C, and its time
    outcome.py       what a run has come to: fine, failed, or nothing that can be judged
    repeatable.py    whether the program repeats itself on the same schedule
"""

from concmodels.models import tools

# Here and not in `explore` itself: pytest loads that for every test suite, and most use nothing of the library.
tools.append("concmodels.explore")
