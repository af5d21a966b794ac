"""Diagnosis: 1 can't be"""

SMALLEST = 1
SCHEDULE = ""
