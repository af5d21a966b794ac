"""Diagnosis: is no replay id: copy it"""

SCHEDULE = "2@2"
