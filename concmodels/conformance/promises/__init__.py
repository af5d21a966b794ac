"""The promises, chapter by chapter."""

CHAPTERS = (
    "delivery",
    "waiting",
    "timeouts",
    "closing",
    "selecting",
    "competing",
    "tasks",
    "failures",
    "cancellation",
    "runs",
)
