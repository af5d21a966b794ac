"""`share` across memory boundaries: one copy in the arena, which every process or interpreter of the run maps anyway.

The arena is a file in memory without a name, so neither the size of /dev/shm nor a killed process matters:
the kernel takes it back with the last process that maps it. A handle is pickled as an address and a number.

    entry        NUMBER  RELEASED  COUNT  PLACE  SIZE        a few words in the arena, under the claim lock
    open view    a `view()`, and what owns its memory: that lives as long as the view, its slices, arrays made of it

COUNT is the number of open views in all participants. When the last one of a released buffer ends, its block is given
back. A process that is killed leaves its views counted: then the block stays until the end of the run.
"""

from math import prod

from concmodels.models.memory.arena import FREE_SHARE, SHARES
from concmodels.models.memory.buffers.source import copy, describe
from concmodels.models.memory.buffers.views import COUNT, ENTRY_BYTES, NEXT, NUMBER, PLACE, WAS_RELEASED, views_of
from concmodels.models.memory.participant import Participant, current, participants
from concmodels.models.memory.pickling import unpack
from concmodels.models.sharing import RELEASED, SharedBase, import_numpy, measure, no_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_OVER = "this buffer belongs to a run that is over"


class Shared(SharedBase):
    """A block of the arena, which all processes or interpreters of the run see."""

    __slots__ = ("_at", "_dtype", "_format", "_number", "_run", "_shape")

    def __init__(
        self,
        run: int,
        at: int,
        number: int,
        nbytes: int,
        readonly: bool,
        format: tuple[str, str | None],
        shape: tuple[int, ...],
        dtype: bytes | None,
    ) -> None:
        self._run, self._at, self._number = run, at, number
        self.nbytes, self.readonly = nbytes, readonly
        self._format, self._shape, self._dtype = format, shape, dtype

    @property
    def home(self) -> Participant:
        """This process's or interpreter's part in the run. Raises `RuntimeError` when that is over."""
        participant = participants.get(self._run)
        if participant is None:
            raise RuntimeError(_OVER)
        return participant

    def view(self) -> memoryview:
        """Return a new view of the bytes, with the format and shape of the source (and the native sign for its format).

        Raises `RuntimeError` once it is released, here or elsewhere, or its run is over; `TypeError` for a format or
        shape that `memoryview.cast` can't give: what is structured, of the other byte order, complex before 3.15.
        """
        original, native = self._format
        if native is None:
            raise TypeError(no_view(f"the format {original!r} here"))
        if not prod(self._shape) and len(self._shape) > 1:
            raise TypeError(no_view(f"the shape {self._shape}"))
        return self._open_view(native, self._shape)

    def array(self) -> Any:
        """Return the bytes as a numpy array, with the dtype of the source.

        Raises as `view`; `ImportError` without numpy, and in a subinterpreter; `TypeError` for a format that numpy
        has not been asked about: share a numpy array then.
        """
        self._check(self.home.words)
        numpy = import_numpy()
        if self._dtype is not None:
            return numpy.ndarray(self._shape, unpack(self._dtype), buffer=self._open_view("B"))
        original, native = self._format
        if native is None:
            raise TypeError(f"the dtype for the format {original!r} is not known here: share numpy.asarray(...) of it")
        return numpy.asarray(self.view())

    def release(self) -> None:
        """Let go of the buffer: from here on `view` and `array` raise `RuntimeError`, in every process or interpreter.

        Views that were handed out here are released too, unless something was made of them, such as an array. (Without
        the GIL they are not, where another thread might be reading through them.) A second call does nothing.
        """
        participant = participants.get(self._run)
        if participant is None:
            return  # the end of the run has released it
        views, words = views_of(participant), participant.words
        with participant.arena.claim:
            views.settle()
            if not self._is_there(words):
                return
            words[self._at + WAS_RELEASED] = 1
            words[self._at + COUNT] += 1  # this call: the block must stay until the views below are released
        views.release(self._number)
        with participant.arena.claim:
            views.returned(self._at)
            views.settle()

    def _check(self, words: memoryview) -> None:
        if not self._is_there(words):
            raise RuntimeError(RELEASED)

    def _is_there(self, words: memoryview) -> bool:
        return bool(words[self._at + NUMBER] == self._number and not words[self._at + WAS_RELEASED])

    def _open_view(self, format: str, shape: tuple[int, ...] | None = None) -> memoryview:
        """Return a view that is counted until it, and whatever was made of it, is gone."""
        participant = self.home
        views, words = views_of(participant), participant.words
        with participant.arena.claim:
            views.settle()
            self._check(words)
            words[self._at + COUNT] += 1
            place = words[self._at + PLACE]
        memory = participant.arena.view(place, self.nbytes)
        kind = (format, shape) if self.nbytes and shape is not None else (format,)
        return views.hand_out(memory, self._at, self._number, *kind, readonly=self.readonly)

    def __reduce__(self) -> tuple[Callable[..., Shared], tuple[Any, ...]]:
        """Pickle where the buffer lies and what it is, never its bytes."""
        known = (self.nbytes, self.readonly, self._format, self._shape, self._dtype)
        return revive, (self.home.run, self._at, self._number, *known)


def revive(run: int, *known: Any) -> Shared:
    """Return the handle that arrives."""
    if run not in participants:
        raise RuntimeError("this buffer belongs to another run, or to one that is over")
    return Shared(run, *known)


def share(kind: str, buffer: object) -> Shared:
    """Copy a buffer into the run of this kind; see `concmodels.contract.Model.share`."""
    participant = current(kind)
    nbytes, readonly = measure(buffer)
    described = describe(buffer)
    at, number = _new_entry(participant, nbytes)
    handle = Shared(participant.run, at, number, nbytes, readonly, *described)
    try:
        if nbytes:
            copy(buffer, participant.arena.view(participant.words[at + PLACE], nbytes))
    except BaseException:
        handle.release()
        raise
    return handle


def _new_entry(participant: Participant, nbytes: int) -> tuple[int, int]:
    """Make room for so many bytes; return the address of the entry, in words, and its number."""
    arena, words = participant.arena, participant.words
    with arena.claim:
        views_of(participant).settle()
        size = max(nbytes, 1)
        try:
            place = arena.allocate(size)
            at = words[FREE_SHARE] or arena.allocate(ENTRY_BYTES) >> 3
        except MemoryError:
            raise MemoryError(f"the run's shared memory has no addresses left for a buffer of {nbytes} bytes") from None
        if words[FREE_SHARE]:
            words[FREE_SHARE] = words[at + NEXT]
        words[SHARES] += 1
        number: int = words[SHARES]
        for field, value in enumerate((0, number, 0, 0, place, size)):
            words[at + field] = value
    return at, number
