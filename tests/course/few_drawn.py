"""Imported by what checks an answer, this has fewer schedules be drawn before all are tried, as in `tests/explore`."""

from concmodels.explore import search
from concmodels.explore.failures import diagnosis

search.FIRST_SAMPLE = 8
diagnosis.RACE_RUNS = 20
