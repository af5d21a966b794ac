"""A batch of a pool as bytes: first what is large in it, as it lies in a block; then a pickle, which says where."""

from concmodels.models.memory.channels import large
from concmodels.models.memory.pickling import Pieces, dumps, quick_pieces, unpack, unpack_arrived

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.models.memory.arena import Arena

    type Packed = bytes | large.Laid

LARGE = 1 << 12  # bytes


def packed(pieces: Pieces) -> Packed:
    """Return what was pickled: as bytes, or laid out if it is large."""
    return b"".join(pieces.parts) if not pieces.buffers and pieces.size <= LARGE else large.laid_out(pieces)


def quickly_packed(value: object) -> Packed | None:
    """Pickle without a copy of what is large; return None for what the quick way refuses."""
    pieces = quick_pieces(value)
    return None if pieces is None else packed(pieces)


class Payload:
    """The message to a worker: how many tasks, the function they have in common, and what it is to be called with."""

    def __init__(self, count: int, function: bytes, star: bool) -> None:
        self._head = count, function, star
        self._parts: list[tuple[int, large.Part]] = []
        self._front = 0  # bytes before the pickle

    def place(self, data: Packed) -> Any:
        """Return what stands for this in the pickle: itself, or where it lies."""
        if isinstance(data, bytes):
            return data
        kind, size, parts = data
        at, self._front = self._front, self._front + size + (-size % 64)
        self._parts += [(at + offset, part) for offset, part in parts]
        return kind, at, size

    def write(self, arena: Arena, calls: Any) -> tuple[int, int, int, int]:
        """Write it into a block; return where that is and its size, and where the pickle is and its size."""
        data = dumps((*self._head, calls, self._front), 5)
        size = self._front + len(data)
        with arena.claim:
            at = arena.allocate(size)
        for offset, part in self._parts:
            arena.write(at + offset, part)
        arena.write(at + self._front, data)
        return at, size, at + self._front, len(data)


class Arrived:
    """A batch where it arrives. What is large is read straight from the block, which the pool keeps until then."""

    def __init__(self, arena: Arena, at: int, size: int) -> None:
        self.count, self.function, self.star, self.calls, front = unpack(arena.get(at, size))
        self._arena, self._at = arena, at - front

    def opened(self, data: Any, what: str) -> Any:
        """Unpickle what `place` has placed. Raises `CannotTravel`."""
        if isinstance(data, bytes):
            return unpack_arrived(data, what)
        kind, at, size = data
        with self._arena.view(self._at + at, size) as view:
            return large.opened(kind, view, what)
