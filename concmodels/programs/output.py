"""Where a program's words go: results, errors, JSON; and what happens when nobody reads them any more."""

import contextlib
import errno
import io
import json
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

    from concmodels.programs.result import Outcome


_WIDEST = 65_535
"""The most columns or lines that a terminal can have."""


class BadInput(ValueError):
    """The command line can't be followed; the message is one sentence for the user."""


def need(library: str, what: str) -> None:
    """Raise `BadInput` unless this library, which something can't do without, is installed."""
    from importlib.util import find_spec

    if find_spec(library) is None:
        raise BadInput(f"{what} needs {library}, which is not installed; pip install {library}")


def say(who: str, text: str) -> None:
    """As this program, write one line to standard error, if anybody listens."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{who}: {text}\n")
        sys.stderr.flush()


def console(stream: TextIO | None) -> Console:
    """Return a rich console on this stream, 80 columns wide where it is no terminal and COLUMNS doesn't tell.

    Raises `BadInput` if rich is not installed.
    """
    need("rich", "this output")
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            raise  # rich would leave the program here, with status 1; `quiet_when_closed` knows better

    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")  # a poor encoding shall not be the end of the table
    return Plain(file=stream, highlight=False, emoji=False, _environ=_environment())


def _environment() -> dict[str, str]:
    """The variables that rich reads, without sizes that are none: it would take 0 columns at their word."""
    environment = dict(os.environ)
    if not _is_size(environment.get("COLUMNS", "80")):
        environment["COLUMNS"] = "80"
    if not _is_size(environment.get("LINES", "25")):
        del environment["LINES"]
    return environment


def _is_size(text: str) -> bool:
    """Return whether this is as many columns or lines as a terminal can have."""
    return text.isascii() and text.isdecimal() and len(text) <= 5 and 0 < int(text) <= _WIDEST


@contextlib.contextmanager
def quiet_when_closed(stream: TextIO | None = None) -> Iterator[None]:
    """Go on in silence when the reader of this stream, standard output by default, has gone, as `head` does.

    Raises `BadInput` where it can't be written to for another reason.
    """
    stream = stream or sys.stdout
    try:
        yield
        if stream is not None:
            stream.flush()
    except OSError as error:
        is_output = stream is not sys.stderr
        # what is left in the buffer would fail again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1 if is_output else 2)
        if error.errno != errno.EPIPE:
            name = "standard output" if is_output else "standard error"
            raise BadInput(f"can't write to {name}: {error.strerror}") from None


class JsonFile:
    """The file of `--json`: opened before the run, and complete JSON from then on, whatever happens to the run."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._file: TextIO | None = None
        if path is not None and path != "-":
            try:
                self._file = open(path, "w", encoding="utf-8")  # noqa: SIM115 - it outlives this function
            except (OSError, ValueError) as error:
                raise BadInput(f"can't write {path!r}: {getattr(error, 'strerror', None) or error}") from None

    def begin(self, results: list[Outcome]) -> None:
        """Write what holds if this process should be killed."""
        if self._file is not None and self._file.seekable():
            self._dump(results)

    def end(self, results: list[Outcome]) -> None:
        """Write the results and close."""
        if self._path == "-" and sys.stdout is not None:
            with quiet_when_closed():
                sys.stdout.write(_text(results))
        elif self._file is not None:
            self._dump(results)
            self._close()

    def _dump(self, results: list[Outcome]) -> None:
        assert self._file is not None
        try:
            if self._file.seekable():
                self._file.seek(0)
            self._file.write(_text(results))
            self._file.flush()
            if self._file.seekable():
                self._file.truncate()
        except OSError as error:
            self._close()
            raise BadInput(f"can't write {self._path!r}: {error.strerror}") from None

    def _close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):
                file.close()


def _text(results: list[Outcome]) -> str:
    return json.dumps([result.to_json() for result in results], indent=2) + "\n"
