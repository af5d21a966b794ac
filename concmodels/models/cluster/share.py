"""`share` on Dask: in the embedded cluster all tasks are in one process, and see the object itself.

The workers of a real cluster may be on many machines, which have no memory in common.
"""

import uuid
from weakref import WeakValueDictionary

from concmodels.models import sharing
from concmodels.models.cluster.link import current

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_handles: WeakValueDictionary[str, Shared] = WeakValueDictionary()


class Shared(sharing.Shared):
    """One object that all tasks of an embedded cluster see. It is pickled as its number."""

    __slots__ = ("_number",)

    def __init__(self, source: Any) -> None:
        super().__init__(source)
        self._number = uuid.uuid4().hex
        _handles[self._number] = self

    def __reduce__(self) -> tuple[Callable[[str], Shared], tuple[str]]:  # type: ignore[override]
        return revive, (self._number,)


def revive(number: str) -> Shared:
    """Unpickle a handle. Raises `RuntimeError` if nobody holds the buffer any more."""
    try:
        return _handles[number]
    except KeyError:
        raise RuntimeError("this buffer is not here: nobody holds it any more, or it is in another process") from None


def share(buffer: object) -> Shared:
    """Give all tasks one block of memory; see `concmodels.contract.Model.share`.

    Raises `NotImplementedError` on a cluster that is not embedded.
    """
    if not current().link.embedded:
        raise NotImplementedError(
            "the workers of a Dask cluster have no memory in common: give each task the part that it needs"
        )
    return Shared(buffer)
