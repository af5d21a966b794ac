"""Where a program's words go: results, errors, JSON; and what happens when nobody reads them any more."""

import contextlib
import errno
import io
import json
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from concmodels._options import BadInput

if TYPE_CHECKING:
    from rich.console import Console

    from concmodels._result import Outcome


def say(who: str, text: str) -> None:
    """As this program, write one line to standard error, if anybody listens."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{who}: {text}\n")
        sys.stderr.flush()


def console(stream: TextIO | None) -> Console:
    """Return a rich console on this stream, 80 columns wide where it is no terminal and COLUMNS doesn't tell."""
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            raise  # rich would leave the program here, with status 1; `quiet_when_closed` knows better

    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")  # a poor encoding shall not be the end of the table
    return Plain(file=stream, highlight=False, emoji=False)


@contextlib.contextmanager
def quiet_when_closed() -> Iterator[None]:
    """Go on in silence when the reader of standard output has gone, as `head` does."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        # what is left in the buffer would fail again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if error.errno != errno.EPIPE:
            raise BadInput(f"can't write to standard output: {error.strerror}") from None


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
