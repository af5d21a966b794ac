"""The promises, chapter by chapter."""

CHAPTERS = ("delivery", "waiting", "timeouts", "closing", "tasks", "failures", "cancellation", "runs")
