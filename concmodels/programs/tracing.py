"""The option `--trace` of a program: its run is recorded into a file."""

from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from concmodels.programs.output.streams import BadInput, say
from concmodels.programs.result import BAD_INPUT, OK

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from concmodels.trace.recorder import Recorder


class Tracing:
    """Records the runs of a `with` block, if there is a path; without one it does nothing.

    Raises `BadInput` for a file that can't be written. If the disk is full at the end, says so; `status` is then
    BAD_INPUT, and the file has what there was space for.
    """

    def __init__(self, program: str, path: str | None, arguments: list[str]) -> None:
        self.status = OK
        self._program, self._path = program, path
        self._title = " ".join([program, *_without_path(arguments)])
        self._recorder: Recorder | None = None
        self._trace: AbstractContextManager[Recorder] | None = None

    def __enter__(self) -> Self:
        if self._path is not None:
            from concmodels import trace  # most runs need it never

            self._trace = trace.to(self._path, program=self._title)
            try:
                self._recorder = self._trace.__enter__()
            except OSError as error:
                raise BadInput(f"can't write {self._path!r}: {error.strerror}") from None
        return self

    def ended(self, how: str | None) -> None:
        """Note how the run has ended, if not well."""
        if self._recorder is not None:
            self._recorder.ended = how

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Any:
        if self._trace is None:
            return None
        try:
            return self._trace.__exit__(kind, error, trace)
        except OSError as full:
            if full is error:
                raise
            self.status = BAD_INPUT
            say(self._program, f"can't write all of {self._path!r}: {full.strerror}; it has what there was space for")
            return None


def _without_path(arguments: list[str]) -> list[str]:
    """Return the arguments without `--trace FILE`."""
    kept, skips = [], False
    for argument in arguments:
        if not skips and argument != "--trace" and not argument.startswith("--trace="):
            kept.append(argument)
        skips = not skips and argument == "--trace"
    return kept
