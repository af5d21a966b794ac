"""The open views of one participant: what in it still sees the memory of shared buffers; see `buffer.py`.

A view may end in the garbage collector, while this very thread holds the claim lock. So its end is only noted there,
and counted at once if the lock happens to be free; otherwise with the next operation, or when the task ends.
"""

import ctypes
import os
import sys
from _thread import _count
from _weakref import ref
from itertools import count

from concmodels.models.memory.arena import FREE_SHARE, Arena, Cancelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.models.memory.participant import Participant

# An entry. Entries are used again, but only as entries: an old handle must see that the number is another.
NEXT, NUMBER, WAS_RELEASED, COUNT, PLACE, SIZE = range(6)
ENTRY_BYTES = 8 * 6


def _free_entry(arena: Arena, at: int) -> None:
    """Free a buffer that was released and that no view sees any more. The caller holds the claim lock."""
    words = arena.words
    arena.free(words[at + PLACE], words[at + SIZE], keep=False)
    words[at + NUMBER], words[at + NEXT] = 0, words[FREE_SHARE]
    words[FREE_SHARE] = at


class _Byte(ctypes.Union):  # an array of these has the format "B", which can be cast; one of c_ubyte has "<B"
    _fields_ = [("byte", ctypes.c_ubyte)]


def views_of(participant: Participant) -> OpenViews:
    """Return the open views of this participant."""
    with participant.opening_lock:
        if participant.views is None:
            participant.views = OpenViews(participant)
        views: OpenViews = participant.views
        return views


class OpenViews:
    """The views that one participant has handed out to the program, and how many of them have ended."""

    def __init__(self, participant: Participant) -> None:
        self._arena = participant.arena
        self._live: dict[int, tuple[int, int, ref[Any], ref[memoryview]]] = {}  # entry, its number, owner, view
        self._ended: list[int] = []  # the entries of views that have ended but are still counted
        self._keys = count()
        self._pid = os.getpid()
        self._in_interpreter = not participant.is_parent and participant.kind == "subinterp"
        if not participant.is_parent and participant.kind == "processes":
            import atexit  # an interpreter closes its participant before it ends; a process ends without that

            atexit.register(self._exit)

    def hand_out(self, memory: memoryview, at: int, number: int, *kind: Any, readonly: bool) -> memoryview:
        """Return a view of this memory, which is counted already, cast to this kind: a format, maybe a shape.

        What owns the memory is an object of ctypes, because numpy keeps the owner but not the view in
        `ndarray(buffer=view)`: the view ends, for this class, when the owner does.
        """
        key, owner = next(self._keys), (_Byte * len(memory)).from_buffer(memory)
        view = memoryview(owner).cast(*kind)
        view = view.toreadonly() if readonly else view
        self._live[key] = at, number, ref(owner, lambda _: self._note_end(key)), ref(view)
        return view

    def _note_end(self, key: int) -> None:
        known = self._live.pop(key, None)
        if known is None or os.getpid() != self._pid:  # a fork has its parent's views, but does not count for it
            return
        self.returned(known[0])
        claim = self._arena.claim
        if claim.acquire(False):
            try:
                self.settle()
            finally:
                claim.release()

    def returned(self, at: int) -> None:
        """Note that one view of this entry has ended."""
        self._ended.append(at)

    def settle(self) -> None:
        """Count the views that have ended, and free what no view sees any more. The caller holds the claim lock."""
        words = self._arena.words
        while self._ended:
            at = self._ended.pop()
            words[at + COUNT] -= 1
            if words[at + WAS_RELEASED] and not words[at + COUNT]:
                _free_entry(self._arena, at)

    def release(self, number: int | None = None) -> None:
        """Release the views of one buffer, or of all, as far as that is possible."""
        if not sys._is_gil_enabled() and not self._is_alone():
            return  # a thread may be reading through one of them right now, and nothing would protect it
        for view in [view() for _, of, _, view in list(self._live.values()) if number in (None, of)]:
            try:
                if view is not None:
                    view.release()
            except BufferError:
                pass  # it has exports, such as an array made of it: that stays valid

    def _is_alone(self) -> bool:
        """Return whether no other thread runs in this interpreter; `_count` leaves out the one that hosts it."""
        return self._in_interpreter and not _count()

    def end(self) -> list[tuple[int, int]]:
        """Release all views, because the participant leaves the run.

        Return what of the memory can still be seen here, by arrays and the like: from where to where.
        """
        self.release()
        words = self._arena.words
        places = [(words[at + PLACE], words[at + SIZE]) for at, *_ in list(self._live.values())]
        self._live.clear()
        self._settle_last()
        return [(place, place + size) for place, size in places]

    def _exit(self) -> None:
        """Count all views as ended, because the process ends."""
        self.release()
        self._ended += [at for at, *_ in list(self._live.values())]
        self._live.clear()
        self._settle_last()

    def _settle_last(self) -> None:
        try:
            with self._arena.claim:
                self.settle()
        except Cancelled:
            pass  # the run was broken off, and all its memory goes back
