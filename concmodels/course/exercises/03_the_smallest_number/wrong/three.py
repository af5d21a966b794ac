"""Diagnosis: 3 is not the smallest"""

SMALLEST = 3
SCHEDULE = "3.14-526e1e-a-2@2"
