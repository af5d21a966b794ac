"""Diagnosis: 6 is what comes out if nothing is lost"""

SMALLEST = 6
SCHEDULE = ""
