"""Diagnosis: on this schedule nothing goes wrong"""

SMALLEST = 2
SCHEDULE = "3.14-526e1e-a-2@2"
