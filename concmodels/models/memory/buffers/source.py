"""The source that `share` copies across memory boundaries: what it is, and how its bytes get into the arena."""

import sys

from concmodels.models.memory.pickling import dumps
from concmodels.models.sharing import is_array, measure, memory_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PIECE = 1 << 20  # bytes


def describe(source: Any) -> tuple[tuple[str, str | None], tuple[int, ...], bytes | None]:
    """Return the source's format (its own, and the one for `memoryview.cast`), its shape, and the pickled dtype."""
    if is_array(source):
        return _formats_of_array(source), source.shape, dumps(source.dtype, 5)
    with memory_of(source) as view:
        shape, formats = view.shape or (), _formats(view)
        numpy = sys.modules.get("numpy")
        if formats[1] is None and numpy is not None:
            array = numpy.asarray(view)
            measure(array)  # it may have objects in it
            return formats, shape, dumps(array.dtype, 5)
        return formats, shape, None


def _formats_of_array(source: Any) -> tuple[str, str | None]:
    try:
        with memoryview(source) as view:
            return _formats(view)
    except ValueError:  # datetime64 and others have no format at all
        return str(source.dtype), None


def _formats(view: memoryview) -> tuple[str, str | None]:
    own = "<" if sys.byteorder == "little" else ">"
    native = view.format.lstrip("@=" + own)
    try:
        memoryview(bytes(view.itemsize)).cast(native)  # type: ignore[call-overload] # it may not be one: this tries
    except ValueError, TypeError:
        return view.format, None
    return view.format, native


def copy(source: Any, target: memoryview) -> None:
    """Copy the source's bytes, of which there is at least one, into plain memory, in C order."""
    if is_array(source):
        numpy: Any = sys.modules["numpy"]
        numpy.ndarray(source.shape, source.dtype, buffer=target)[...] = source
        return
    with memory_of(source) as view:
        try:
            target[:] = view.cast("B")
        except TypeError, ValueError:  # it has gaps, or a format that can't be cast
            _copy_in_pieces(view, target)


def _copy_in_pieces(source: memoryview, target: memoryview) -> None:
    if source.ndim == 0:
        target[:] = source.tobytes()
        return
    at, rows = 0, max(1, _PIECE * len(source) // source.nbytes)
    for first in range(0, len(source), rows):
        piece = source[first : first + rows].tobytes()
        target[at : at + len(piece)] = piece
        at += len(piece)
