"""How a large item crosses a memory boundary: it is copied once into a block of the arena, and once out of it.

`bytes` and `bytearray` lie there as they are, and so does an `array.array`, which pickle copies twice more. Anything
else is pickled; of what is large in it (bytes, and the buffers that pickle's protocol 5 leaves out: arrays of numpy,
for example) the pickle has no copy, only the block has. It is unpickled straight from the block, which is given back
after that.

    RAW, RAW_ARRAY    size, the bytes
    NUMBERS           size, the type code of an `array.array`, its bytes
    BLOCK             size, the pickle
    BUFFERS           size, how many buffers, the size of the pickle, the sizes of the buffers; the pickle; the buffers

A megabyte of bytes took 2.2 ms, 1.5 of them CPU; it takes 0.1 (stream of two processes; the blocks that keep their
pages, `Arena.free`, are the greater part of that). An `array.array` of a megabyte took 1.8 ms of CPU when
it was pickled, and takes 0.2.

While a task holds a block that no other task knows, from the first byte that it writes until the block is sent, or from
when that is received until it is read, its record says so (HELD): if its process is killed, the block is freed
(`lives/recovery.py`).
"""

from _pickle import loads
from array import array

from concmodels.models.memory.channels.words import BLOCK, BUFFERS, NUMBERS, RAW, RAW_ARRAY, word_of
from concmodels.models.memory.pickling import Pieces, quick_pieces, unpack_arrived

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from concmodels.models.memory.participant import Participant

    type Part = bytes | bytearray | memoryview
    type Laid = tuple[int, int, list[tuple[int, Part]]]

_ALIGNED = 64
_NUMBERS_AT = 8  # behind the type code


def write_bytes(home: Participant, item: bytes | bytearray) -> int:
    """Copy bytes into a block, and return its word. Raises `ValueError` if another thread resizes them meanwhile."""
    return _write(home, RAW if type(item) is bytes else RAW_ARRAY, len(item), [(0, item)])


def write_in_pieces(home: Participant, item: object, large: int) -> bytes | int:
    """Pickle an item without a copy of what is large in it, and return the word of its block.

    An item that turns out to have at most `large` bytes is returned as bytes. Raises `CannotTravel`.
    """
    if type(item) is array and item.itemsize * len(item) > large and item.typecode != "u":  # which is deprecated
        return _write_numbers(home, item)
    pieces = quick_pieces(item)
    if pieces is None:
        pieces = Pieces()
        pieces.write(home.pack(item))
    if not pieces.buffers and pieces.size <= large:
        return b"".join(pieces.parts)
    return _write(home, *laid_out(pieces))


def _write_numbers(home: Participant, item: array[Any]) -> int:
    with memoryview(item) as view, view.cast("B") as data:
        parts: list[tuple[int, Part]] = [(0, item.typecode.encode()), (_NUMBERS_AT, data)]
        return _write(home, NUMBERS, _NUMBERS_AT + len(data), parts)


def laid_out(pieces: Pieces) -> Laid:
    """Return the kind of block that these pieces need, its size, and where in it each part lies."""
    at, parts = 0, list[tuple[int, "Part"]]()
    if pieces.buffers:
        sizes = [len(pieces.buffers), pieces.size, *(buffer.nbytes for buffer in pieces.buffers)]
        head = b"".join(size.to_bytes(8, "little") for size in sizes)
        parts, at = [(0, head)], len(head)
    for part in pieces.parts:
        parts.append((at, part))
        at += len(part)
    for buffer in pieces.buffers:
        at = _aligned(at)
        parts.append((at, buffer))
        at += buffer.nbytes
    return (BUFFERS if pieces.buffers else BLOCK), at, parts


def _aligned(at: int) -> int:
    """Return the first place from there on at which a buffer may begin: 8 bytes of size come before it."""
    return at + (-(at + 8) % _ALIGNED)


def _write(home: Participant, kind: int, size: int, parts: Iterable[tuple[int, Part]]) -> int:
    return word_of(kind, home.write_block(size, parts))


def read(home: Participant, kind: int, at: int) -> Any:
    """Return the item of a block, and give the block back. Raises `CannotTravel`."""
    try:
        with home.arena.view(at + 8, home.words[at >> 3]) as view:
            return opened(kind, view, "an item of this channel")
    finally:
        home.free_block(at)


def opened(kind: int, view: memoryview, what: str) -> Any:
    """Return what lies in a block of this kind. Raises `CannotTravel`."""
    if kind == RAW:
        return view.tobytes()
    if kind == RAW_ARRAY:
        return bytearray(view)
    if kind == BLOCK:
        return unpack_arrived(view, what)
    if kind == NUMBERS:
        numbers = array(chr(view[0]))
        numbers.frombytes(view[_NUMBERS_AT:])
        return numbers
    return _with_buffers(view, what)


def _with_buffers(view: memoryview, what: str) -> Any:
    count, size = view[:16].cast("q")
    sizes, at, buffers = view[16 : 16 + 8 * count].cast("q"), 16 + 8 * count, []
    end = at + size
    for nbytes in sizes:
        end = _aligned(end)
        buffers.append(bytearray(view[end : end + nbytes]))
        end += nbytes
    return unpack_arrived(view[at : at + size], what, lambda data: loads(data, buffers=buffers))
