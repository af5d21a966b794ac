"""Diagnosis: on this schedule nothing goes wrong"""

SCHEDULE = "3.14-6e0609-a-1@2"
