"""Diagnosis: this replay id is of another version of the program"""

SCHEDULE = "3.14-123456-a-2@2"
