"""Diagnosis: 3 forced switches where 1 will do"""

SCHEDULE = "3.14-6e0609-a-1@2,2@1,3@2"
