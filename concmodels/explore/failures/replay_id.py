"""Replay ids: a failing schedule as a text of at most 60 characters, to be kept in a bug report.

    3.14-5f0c9a-a-6@2,9@1       Python 3.14, the program's checksum, switches "anywhere", then the schedule itself
    3.14-5f0c9a-C-4@0:1         the same with the order "any", and switches "checkpoints"
    3.14-5f0c9a-ai-7@0:1        the same as the first, where a Ctrl-C may come
    3.14-5f0c9a-a-pos17         the schedule is too long for that: it is the one that POS draws with the seed 17

An id is valid only for the program that it was made for: the checksum is that of its bytecode, so comments may change.
Between two minor versions of Python the bytecode differs, and so do the places where a task can be preempted.
"""

import re
import sys
from dataclasses import dataclass, replace
from hashlib import blake2s
from types import CodeType
from typing import TYPE_CHECKING, Any

from concmodels.explore.errors import CannotExplore
from concmodels.models.simulated.schedules import Schedule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from concmodels.explore.monitor import Switches
    from concmodels.explore.running.options import Options, Order

LONGEST = 60
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
_SOURCE = re.compile(r"first|(pos|random)[0-9]{1,9}|(pct|all)[0-9]{1,9}\.[0-9]{1,9}")
_LETTERS: dict[str, Switches] = {"a": "anywhere", "g": "gil", "c": "checkpoints"}
_INTERRUPT = "i"


@dataclass(frozen=True)
class ReplayId:
    """A schedule of a program: written down itself, or how the search has come to it."""

    checksum: str
    switches: Switches
    schedule: Schedule | None = None
    source: str = ""
    order: Order = "kept"
    interrupt: bool = False

    def __str__(self) -> str:
        letter = next(letter for letter, switches in _LETTERS.items() if switches == self.switches)
        letter = letter.upper() if self.order == "any" else letter
        letter += _INTERRUPT if self.interrupt else ""
        start = f"{PYTHON}-{self.checksum}-{letter}-"
        short = f"{start}{self.schedule}"
        if self.schedule is not None and len(short) <= LONGEST:
            return short
        return f"{start}{self.source}"

    def options(self, wanted: Options) -> Options:
        """Return the options with which its schedule is run again: no search ends before it has come to it."""
        return replace(
            wanted, switches=self.switches, order=self.order, interrupt=self.interrupt, schedules=sys.maxsize
        )

    @classmethod
    def parse(cls, text: str, checksum: str) -> ReplayId:
        """Read the id of a schedule of the program with this checksum. Raises `CannotExplore`."""
        python, _, rest = text.strip().partition("-")
        program, _, rest = rest.partition("-")
        letter, _, rest = rest.partition("-")
        interrupt, letter = letter.endswith(_INTERRUPT), letter.removesuffix(_INTERRUPT)
        order: Order = "any" if letter.isupper() else "kept"
        letter = letter.lower()
        if letter not in _LETTERS or not rest:
            raise CannotExplore(f"{text!r} is no replay id: copy it as the report has it, as in 3.14-5f0c9a-a-6@2,9@1")
        if python != PYTHON:
            raise CannotExplore(f"this replay id was made by Python {python}, and this is {PYTHON}: use {python}")
        if program != checksum:
            raise CannotExplore(
                "this replay id is of another version of the program, or of another program: explore it anew"
            )
        try:
            if rest[0].isalpha():  # a schedule begins with a number
                return cls(checksum, _LETTERS[letter], None, must_be_source(rest), order, interrupt)
            return cls(checksum, _LETTERS[letter], Schedule.parse(rest), order=order, interrupt=interrupt)
        except ValueError as error:
            raise CannotExplore(f"{text!r} is no replay id: {error}") from None


def must_be_source(text: str) -> str:
    """Return the name of a source: `first`, `pos7`, `random7`, `pct7.40`, `all0.12`. Raises `ValueError`."""
    if not _SOURCE.fullmatch(text):
        raise ValueError(f"{text!r} is no way to find a schedule")
    return text


def checksum(codes: Iterable[CodeType]) -> str:
    """Return six characters that change when the bytecode of a program does."""
    total = blake2s()
    for code in codes:
        for part in _parts(code):
            total.update(part)
    return total.hexdigest()[:6]


def _parts(code: CodeType) -> Iterator[bytes]:
    yield code.co_code
    yield repr((code.co_name, code.co_names, code.co_varnames, code.co_freevars)).encode()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _parts(constant)
        else:
            yield repr(_ordered(constant)).encode()


def _ordered(constant: Any) -> Any:
    """Return a constant such that its `repr` is the same in every process."""
    if isinstance(constant, frozenset):
        return sorted(map(repr, constant))
    return [_ordered(it) for it in constant] if isinstance(constant, tuple) else constant
