"""One vocabulary of concurrency (channel, task group, pool), built natively in every model that Python has.

Importing the package loads none of the models: every child process and every subinterpreter imports it too.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import overload

    from concmodels.contract import AsyncChannel as AsyncChannel
    from concmodels.contract import AsyncPool as AsyncPool
    from concmodels.contract import AsyncTask as AsyncTask
    from concmodels.contract import AsyncTaskGroup as AsyncTaskGroup
    from concmodels.contract import Channel as Channel
    from concmodels.contract import Handle as Handle
    from concmodels.contract import Model as Model
    from concmodels.contract import Pool as Pool
    from concmodels.contract import Shared as Shared
    from concmodels.contract import Task as Task
    from concmodels.contract import TaskGroup as TaskGroup
    from concmodels.errors import Selected as Selected
    from concmodels.typed import AsyncModel as AsyncModel
    from concmodels.typed import AsyncName, AsyncSimulatedName, BoundaryName, SimulatedName, SyncName
    from concmodels.typed import AsyncSimulatedModel as AsyncSimulatedModel
    from concmodels.typed import BoundaryModel as BoundaryModel
    from concmodels.typed import SimulatedModel as SimulatedModel
    from concmodels.typed import SyncModel as SyncModel
else:

    def overload(function):
        """Leave the overloads to type checkers: the module `typing` takes longer to import than this package."""
        return function


__version__ = "1.0.0"

_TYPES = {
    "concmodels.contract": (
        *("AsyncChannel", "AsyncPool", "AsyncTask", "AsyncTaskGroup", "Channel", "Handle", "Model", "Pool", "Shared"),
        *("Task", "TaskGroup"),
    ),
    "concmodels.errors": ("Selected",),
    "concmodels.typed": ("AsyncModel", "AsyncSimulatedModel", "BoundaryModel", "SimulatedModel", "SyncModel"),
}
"""For annotations; by the module that has them, which is imported when one is asked for."""

__all__ = ["load", "names"]


def __getattr__(name: str) -> object:
    for module, types in _TYPES.items():
        if name in types:
            from importlib import import_module

            return getattr(import_module(module), name)
    raise AttributeError(f"module 'concmodels' has no attribute {name!r}")


@overload
def load(name: SimulatedName) -> SimulatedModel: ...
@overload
def load(name: BoundaryName) -> BoundaryModel: ...  # noqa: F811
@overload
def load(name: SyncName) -> SyncModel: ...  # noqa: F811
@overload
def load(name: AsyncSimulatedName) -> AsyncSimulatedModel: ...  # noqa: F811
@overload
def load(name: AsyncName) -> AsyncModel: ...  # noqa: F811
@overload
def load(name: str) -> Model: ...  # noqa: F811
def load(name: str) -> Model:  # noqa: F811
    """Return a model (`"trio"`) or a variant of one (`"processes:spawn"`).

    Raises `UnknownModel` for a name that does not exist, and `ModelUnavailable` for a model that can't run here; each
    has a message of one sentence.
    """
    from concmodels import catalog

    return catalog.load(name)


def names(*, variants: bool = False) -> list[str]:
    """Return the names of all models, whether they can run here or not; with `variants`, also those of variants."""
    from concmodels import catalog

    return catalog.names(variants=variants)
