"""What can't be explored; each of these is one sentence, which the command ends with and status 2."""


class CannotExplore(ValueError):
    """This program can't be explored, or not like this; the message says why, and what to do."""


class NotRepeatable(CannotExplore):
    """The same schedule has led to another run: the program depends on something that no schedule decides."""

    def __init__(self, message: str = "") -> None:
        super().__init__(
            message
            or "the program does not repeat itself: the same schedule has led to other steps; seed what is random, and "
            "make what changes inside of main"
        )


class StillComputing(CannotExplore):
    """A schedule was still computing when the time was over. `stack` are the lines at which it was, innermost first."""

    def __init__(self, message: str, stack: list[str]) -> None:
        super().__init__(message)
        self.stack = stack
