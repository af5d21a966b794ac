"""`share` on Dask: in the embedded cluster all tasks are in one process, and see the object itself.

The workers of a real cluster may be on many machines, which have no memory in common.
"""

from concmodels.models import sharing
from concmodels.models.cluster.link import Handle, current, new_number


class Shared(Handle, sharing.Shared):  # type: ignore[misc] # both say how it is pickled: as a handle
    """One object that all tasks of an embedded cluster see."""

    local = True

    def __init__(self, source: object) -> None:
        super().__init__(source)
        self._attach(current().link, new_number())


def share(buffer: object) -> Shared:
    """Give all tasks one block of memory; see `concmodels.contract.Model.share`.

    Raises `NotImplementedError` on a cluster that is not embedded.
    """
    if not current().link.embedded:
        raise NotImplementedError(
            "the workers of a Dask cluster have no memory in common: give each task the part that it needs"
        )
    return Shared(buffer)
