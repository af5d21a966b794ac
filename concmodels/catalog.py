"""The catalog of models: their names, the facts about them, whether they can run here, and how to load them.

    >>> from concmodels import catalog
    >>> catalog.facts("trio").scheduler
    "trio's run loop"

A model that is sent to a child is pickled as its name, and `load` loads it again in the child. So this module imports
next to nothing at its top.
"""

import os
import sys

from concmodels.errors import ModelUnavailable, UnknownModel
from concmodels.facts import DISTRIBUTED, FACTS, SIMULATED, Facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from concmodels.contract import Model

__all__ = ["Facts", "facts", "is_beyond", "is_distributed", "is_simulated", "load", "name_of", "names", "why_not"]

_BY_NAME: dict[str, Facts] = {}
for _entry in FACTS + SIMULATED + DISTRIBUTED:
    _BY_NAME.setdefault(_entry.model, _entry)  # the first entry of a model is its default
    if _entry.variant:
        _BY_NAME[f"{_entry.model}:{_entry.variant}"] = _entry

_NAMES = (
    "Cancelled", "Channel", "TaskGroup", "notify_closing", "now", "run", "select", "share", "sleep", "wait_readable",
    "wait_writable",
)  # fmt: skip
"""The names of a model but for `Pool`."""

_HELP = """\
The vocabulary, which is that of every model (help(concmodels.contract) has it in full; in async models await what may
wait):

run(main, *args)        start what the model needs, call main(*args), stop it, and return the result
Channel(capacity=0)     send, receive, close, and iteration; math.inf is unbounded, 0 a rendezvous
select(*cases)          wait for one of several channels: a channel, or (channel, item) to send
TaskGroup()             with model.TaskGroup() as group: group.spawn(function, *args); the block waits for its tasks
Pool(workers)           with model.Pool(4) as pool: pool.map(function, items), pool.submit(function, *args)
share(buffer)           one block of memory that all tasks see
sleep(seconds), now()   the model's own clock
wait_readable(socket), wait_writable(socket), notify_closing(socket)
Cancelled               what is raised in a task that is cancelled"""
"""The beginning of a model's help."""


def names(
    *,
    variants: bool = False,
    distributed: bool = False,
    simulated: bool = False,
    beyond: bool = False,
    family: str | None = None,
) -> list[str]:
    """Return the names of all models, whether they can run here or not.

    With `variants`, the names of the other variants are included; with `distributed`, those of models that can use
    several machines; with `simulated`, those of simulated models. `beyond` is an older name of `distributed`. With a
    `family`, there are only the models of that family: see `Facts`.

        >>> from concmodels import catalog
        >>> catalog.names()[:3]
        ['threads', 'rawthreads', 'processes']
        >>> "trio" in catalog.names(family="coroutines"), "trio" in catalog.names(family="threads")
        (True, False)
        >>> "dask" in catalog.names(), "dask" in catalog.names(distributed=True)
        (False, True)
    """
    entries = FACTS + (SIMULATED if simulated else ()) + (DISTRIBUTED if distributed or beyond else ())
    return [
        name_of(entry)
        for entry in entries
        if (variants or _BY_NAME[entry.model] is entry) and family in (None, entry.family)
    ]


def is_distributed(entry: Facts) -> bool:
    """Return whether this model can use several machines. Such a model need not keep every guarantee.

    >>> from concmodels import catalog
    >>> catalog.is_distributed(catalog.facts("dask"))
    True
    """
    return entry.model in [other.model for other in DISTRIBUTED]


def is_simulated(entry: Facts) -> bool:
    """Return whether this model is simulated: a schedule decides which task runs, and the clock is virtual.

    >>> from concmodels import catalog
    >>> catalog.is_simulated(catalog.facts("sim:async"))
    True
    """
    return entry.model in [other.model for other in SIMULATED]


def is_beyond(entry: Facts) -> bool:
    """Return what `is_distributed` returns; this is its older name.

    >>> from concmodels import catalog
    >>> catalog.is_beyond(catalog.facts("trio"))
    False
    """
    return is_distributed(entry)


def name_of(entry: Facts) -> str:
    """Return the shortest name of a model or variant: `processes` rather than `processes:forkserver`.

    >>> from concmodels import catalog
    >>> catalog.name_of(catalog.facts("processes:forkserver"))
    'processes'
    """
    return entry.model if _BY_NAME[entry.model] is entry else f"{entry.model}:{entry.variant}"


def facts(name: str) -> Facts:
    """Return the facts about a model (`"trio"`) or a variant (`"processes:spawn"`). Raises `UnknownModel`.

    >>> from concmodels import catalog
    >>> facts = catalog.facts("trio")
    >>> facts.is_async, facts.unit
    (True, 'a trio task around a coroutine')
    """
    if name in _BY_NAME:
        return _BY_NAME[name]
    model, _, address = name.partition(":")
    if model in _BY_NAME and is_distributed(_BY_NAME[model]) and _is_address(address):
        return _BY_NAME[model].but(variant=address)
    raise UnknownModel(_unknown(name))


def _is_address(text: str) -> bool:
    """Return whether the text is a scheme, a host and a port: `tcp://127.0.0.1:8786`."""
    scheme, _, place = text.partition("://")
    host, _, port = place.rpartition(":")
    return scheme.isalpha() and host != "" and port.isascii() and port.isdecimal() and 0 < int(port) < 1 << 16


def load(name: str) -> Model:
    """Load and return a model or a variant.

    Raises `UnknownModel` or `ModelUnavailable`, each with a message of one sentence.

        >>> from concmodels import catalog
        >>> threads = catalog.load("threads")
        >>> threads.run(lambda: "ran")
        'ran'
    """
    entry = facts(name)
    instead = None if _instead is None else _instead(entry)
    return _loaded(name, entry) if instead is None else instead


def give_instead(find: Callable[[Facts], Model | None] | None) -> Callable[[Facts], Model | None] | None:
    """Let `load` return what this finds, unless it is None; return what did so before. For tools that run programs."""
    global _instead
    before, _instead = _instead, find
    return before


_instead: Callable[[Facts], Model | None] | None = None


def _loaded(name: str, entry: Facts) -> Model:
    import importlib

    if refusal := _refusal(entry):
        raise ModelUnavailable(f"{name} can't run here: {refusal}")
    try:
        module = importlib.import_module(f"concmodels.models.{entry.file.replace('/', '.')}")
    except ImportError as error:
        raise ModelUnavailable(f"{name} can't run here: {_missing(entry) or error}") from error
    if not is_simulated(entry):
        from concmodels.platform import tried

        if tried.DOUBT:
            tried.give_notice(tried.DOUBT)
    if _BY_NAME[entry.model] is not entry:
        variant: Model = module.variant(entry.variant)
        return variant
    _show_vocabulary(module)
    model: Model = module
    return model


def _show_vocabulary(module: Any) -> None:
    """Have `dir(model)` list the names that every model has and no other, and `help(model)` begin with them."""
    if "__dir__" not in vars(module):
        module.__dir__ = _vocabulary
        first, _, rest = (module.__doc__ or "").partition("\n\n")
        module.__doc__ = f"{first}\n\n{_HELP}\n\n{rest}"


def _vocabulary() -> list[str]:
    return [*_NAMES, "Pool"]


class Variant:
    """One variant of a model (`processes:spawn`), under the names that every model has.

    The model without a variant is its module itself. `Variant(name, module, run=...)` has the names of the module with
    this name, but for those that are given. Its `Pool` is imported when it is asked for, because children need not
    import it.
    """

    run: Callable[..., Any]
    select: Callable[..., Any]
    sleep: Callable[[float], Any]
    now: Callable[[], float]
    Channel: Any
    TaskGroup: Any
    share: Callable[[Any], Any]
    wait_readable: Callable[..., Any]
    wait_writable: Callable[..., Any]
    notify_closing: Callable[[Any], None]
    Cancelled: type[BaseException]

    def __init__(self, name: str, module: str, *, Pool: Any = None, **own: Any) -> None:
        self.name = name
        self._module, self._pool = sys.modules[module], Pool
        # Copied, not looked up when they are used: programs call them in their loops.
        vars(self).update({verb: getattr(self._module, verb) for verb in _NAMES} | own)

    @property
    def Pool(self) -> Any:
        """The class of the variant's pools."""
        return self._pool or self._module.Pool

    def __repr__(self) -> str:
        return f"<model {self.name}>"

    def __dir__(self) -> list[str]:
        return _vocabulary()

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        """Pickle a model as its name: the other side loads its own."""
        return load, (self.name,)


def why_not(name: str) -> str | None:
    """Return the reason why a model can't run here, as text, or None if it can run. Raises `UnknownModel`.

    The model itself is not imported to find out.

        >>> from concmodels import catalog
        >>> print(catalog.why_not("threads"))
        None
    """
    entry = facts(name)
    why = _refusal(entry) or _missing(entry)
    if why is None and entry.family == "boundary":
        return why_not_from_here()  # any interpreter can load these models, but not run them
    return why


def why_not_from_here() -> str | None:
    """Return why this interpreter can't start processes and interpreters, or None if it is the main one."""
    try:
        import _interpreters
    except ImportError:  # this Python was built without them
        return None
    if _interpreters.get_current()[0] == _interpreters.get_main()[0]:
        return None
    return "this is a subinterpreter, and only the main interpreter starts others, and processes: call `run` there"


def must_be_main(model: str) -> None:
    """Raise `ModelUnavailable` unless the runs of this model can be made from this interpreter."""
    if why := why_not_from_here():
        raise ModelUnavailable(f"{model} can't run here: {why}")


def _unknown(name: str) -> str:
    """The message for an unknown name: it lists the valid names, the most similar first."""
    model, colon, variant = name.partition(":")
    if colon and model in _BY_NAME:
        if is_distributed(_BY_NAME[model]):
            return f"{model} takes the address of a scheduler, as in {model}:tcp://127.0.0.1:8786, not {variant!r}"
        known = [entry.variant for entry in FACTS + SIMULATED if entry.model == model and entry.variant]
        if not known:
            return f"the model {model} has no variants, so there is no {name!r}"
        return f"{model} has no variant {variant!r}; it has {', '.join(_nearest_first(variant, known))}"
    known = names(variants=colon != "", distributed=True, simulated=True)
    meant = f": did you mean {near[0]}?" if (near := _similar(name, known)) else "."
    return f"there is no model {name!r}{meant} There are {', '.join(_nearest_first(name, known))}"


def _similar(name: str, known: list[str]) -> list[str]:
    import difflib

    return difflib.get_close_matches(name.lower(), known, 1)


def _nearest_first(name: str, known: list[str]) -> list[str]:
    import difflib

    return sorted(known, key=lambda other: -difflib.SequenceMatcher(None, name.lower(), other).ratio())


def _refusal(entry: Facts) -> str | None:
    """The reason why this interpreter or this machine can't run the model, or None."""
    if sys.platform == "emscripten" and not is_simulated(entry):
        return "in a browser only the simulated models run, sim and sim:async"
    if entry.family == "boundary" and (why := _refusal_of_platform(entry)):
        return why
    if entry.variant == "fork" and not hasattr(os, "fork"):
        return f"there is no fork on {sys.platform}"
    if entry.file == "gevent_" and not sys._is_gil_enabled():
        return "importing gevent would switch the GIL on again for the whole process (-X gil=1 says that you want that)"
    return None


def _refusal_of_platform(entry: Facts) -> str | None:
    from concmodels import platform

    return platform.why_not(processes=entry.model == "processes")


def _missing(entry: Facts) -> str | None:
    """Return, in words, what the model needs and is not installed, or None."""
    from importlib.util import find_spec

    if missing := [library for library in entry.needs if find_spec(library) is None]:
        what = f"'concmodels[{entry.model}]'" if is_distributed(entry) else " ".join(missing)
        return f"not installed; pip install {what}"
    if entry.file == "subinterp" and find_spec("_interpreters") is None:
        return "this interpreter was built without concurrent.interpreters"
    if find_spec(f"concmodels.models.{entry.file.replace('/', '.')}") is None:
        return f"concmodels/models/{entry.file}.py is not installed"
    return None
