"""What can't be explored; each of these is one sentence, which the command ends with and status 2."""


class CannotExplore(ValueError):
    """This program can't be explored, or not like this; the message says why, and what to do."""


class NotRepeatable(CannotExplore):
    """The same schedule has led to another run: the program depends on something that no schedule decides."""
