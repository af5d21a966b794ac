"""The errors of an exploration. The command prints each as one sentence and exits with status 2."""


class CannotExplore(ValueError):
    """The program can't be explored, or not with these options. The message says why, and what to do."""


class NotRepeatable(CannotExplore):
    """A second run on the same schedule was different: the program depends on something that no schedule controls."""

    def __init__(self, message: str = "") -> None:
        super().__init__(
            message
            or "the program does not repeat itself: the same schedule has led to other steps; seed what is random, and "
            "create inside main whatever changes"
        )


class StillComputing(CannotExplore):
    """A run was still computing when the time was over. `stack` has the lines where it was, the innermost first."""

    def __init__(self, message: str, stack: list[str]) -> None:
        super().__init__(message)
        self.stack = stack
