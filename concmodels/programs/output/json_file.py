"""The file of `--json`: complete JSON from the beginning of a run to its end."""

import contextlib
import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from concmodels.programs.output.streams import BadInput, quiet_when_closed

if TYPE_CHECKING:
    from typing import Any, Protocol

    class HasJson(Protocol):
        """A result, as `Outcome` is one."""

        def to_json(self) -> dict[str, Any]:
            """Return the figures as a dict for JSON."""


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
