"""Where a program writes: errors in one line, a console for rich, readers that have gone, and the file of `--json`."""

import contextlib
import errno
import io
import json
import os
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from typing import Any, Protocol

    from rich.console import Console

    class HasJson(Protocol):
        """A result, as `Outcome` is one."""

        def to_json(self) -> dict[str, Any]:
            """Return the figures as a dict for JSON."""


_WIDEST = 65_535
"""The most columns or lines that a terminal can have."""


class BadInput(ValueError):
    """The command line is wrong; the message is one sentence for the user."""


def need(library: str, what: str) -> None:
    """Raise `BadInput` if this library is not installed; `what` can't do without it."""
    from importlib.util import find_spec

    if find_spec(library) is None:
        raise BadInput(f"{what} needs {library}, which is not installed; pip install {library}")


def say(program: str, text: str) -> None:
    """Write one line to standard error in the name of this program; do nothing if standard error is closed."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{program}: {text}\n")
        sys.stderr.flush()


def console(stream: TextIO | None) -> Console:
    """Return a rich console on this stream; it is 80 columns wide unless a terminal or COLUMNS says otherwise.

    Raises `BadInput` if rich is not installed.
    """
    need("rich", "this output")
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            raise  # rich would leave the program here, with status 1; `quiet_when_closed` knows better

    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")  # the table has characters that not every encoding has
    return Plain(file=stream, highlight=False, emoji=False, _environ=_environment())


def _environment() -> dict[str, str]:
    """Return the environment for rich, without sizes that make no sense: rich would print a table 0 columns wide."""
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
    """Go on without a word if the reader of this stream has gone, as in `... | head`; by default of standard output.

    Raises `BadInput` if the stream can't be written to for another reason.
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
    """The file of `--json`. It is opened before the run, and holds complete JSON from then on, even after a crash."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._file: TextIO | None = None
        if path is not None and path != "-":
            try:
                self._file = open(path, "w", encoding="utf-8")  # noqa: SIM115 - it outlives this function
            except (OSError, ValueError) as error:
                raise BadInput(f"can't write {path!r}: {getattr(error, 'strerror', None) or error}") from None

    def begin(self, results: Iterable[HasJson]) -> None:
        """Write the results that hold if this process is killed."""
        if self._file is not None and self._file.seekable():
            self._dump(results)

    def end(self, results: Iterable[HasJson]) -> None:
        """Write the results and close the file."""
        if self._path == "-" and sys.stdout is not None:
            with quiet_when_closed():
                sys.stdout.write(_text(results))
        elif self._file is not None:
            self._dump(results)
            self._close()

    def _dump(self, results: Iterable[HasJson]) -> None:
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


def _text(results: Iterable[HasJson]) -> str:
    return json.dumps([result.to_json() for result in results], indent=2) + "\n"
