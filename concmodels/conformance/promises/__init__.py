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
    "pooling",
    "pooling_map",
    "pooling_ends",
    "pooling_failures",
    "pooling_deaths",
    "pooling_borders",
    "pooling_colours",
    "sharing",
    "sharing_ends",
)
