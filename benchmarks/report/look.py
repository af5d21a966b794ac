"""The four looks of a chart: on a light or a dark page, wide or narrow."""

from dataclasses import dataclass

WIDE, NARROW = 900, 350


@dataclass(frozen=True)
class Look:
    """For which reader a chart is drawn."""

    dark: bool = False
    """On a dark page."""
    narrow: bool = False
    """For a page of 390 px: its text stays as large as in the wide one."""

    @property
    def width(self) -> int:
        """The width of the picture, in pixels."""
        return NARROW if self.narrow else WIDE


LIGHT = Look()
"""On a light page, wide."""
