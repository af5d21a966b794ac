"""How long the explorations of one run of the tests may take: each has its share of what is left."""

LEAST_S = 0.1
"""Seconds that an exploration gets when the budget is used up: a few schedules, which may still find something."""


class Budget:
    """The seconds for a number of tests. A test that needs less than its share leaves the rest to those after it."""

    def __init__(self, seconds: float, tests: int) -> None:
        self._left = seconds
        self._tests = tests
        self._share = 0.0

    def begin_test(self) -> None:
        """Give the next test its share."""
        self._share = self._left / max(1, self._tests)
        self._tests -= 1

    @property
    def seconds(self) -> float:
        """The seconds that the test may still take."""
        return max(LEAST_S, self._share)

    def spend(self, seconds: float) -> None:
        """Take the seconds that an exploration took from the share of the test."""
        self._left -= seconds
        self._share -= seconds
