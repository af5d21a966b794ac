"""The replay id of a schedule on which visitors.py counts one visitor instead of two."""

SCHEDULE = ""
