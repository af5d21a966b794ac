"""One vocabulary of concurrency (channel, task group, pool), built natively in every model that Python has.

Importing the package loads none of the models: every child process and every subinterpreter imports it too.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concmodels.contract import Model

__version__ = "0.1.0"
__all__ = ["load", "names"]


def load(name: str) -> Model:
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
