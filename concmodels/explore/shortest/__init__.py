"""The shortest schedule that still fails in the same way.

Its parts:

    minimise.py     leaves out what deviates from the plainest order, as long as the run still fails
    fewest.py       tries all schedules with one deviation, then all with two
    following.py    follows a run that had fewer scheduling points
"""
