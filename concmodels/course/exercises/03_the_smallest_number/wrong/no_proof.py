"""Diagnosis: SCHEDULE is no replay id yet"""

SMALLEST = 2
SCHEDULE = ""
