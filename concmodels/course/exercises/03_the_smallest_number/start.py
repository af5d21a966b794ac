"""The smallest number that counting.py can end with, and the replay id of a schedule on which it does."""

SMALLEST = 0
SCHEDULE = ""
