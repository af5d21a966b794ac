"""Completes a model that lacks parts: they are lent to it, and gaps in its Channel and its Pool raise an error."""

import math
from annotationlib import Format
from collections.abc import Callable
from inspect import Parameter, signature
from types import SimpleNamespace
from typing import Any

from concmodels.conformance.guarantees.tools import PATIENCE
from concmodels.conformance.suite import VOCABULARY

type Tell = Callable[[BaseException], None]

_PLAIN = ("send_nowait", "receive_nowait", "close", "closed", "capacity", "name")
_SPECIAL = {"__len__": "len()", "__enter__": "`with`", "__exit__": "`with`"}


class Lacking(NotImplementedError, AttributeError):
    """The model lacks this. It is an AttributeError too, so that `hasattr` answers as if the gap were not filled."""


def completed(base: Any, given: dict[str, Any], is_async: bool, tell: Tell) -> SimpleNamespace:
    """Return a complete model: the names in `given`, and all others from `base`."""
    whole = SimpleNamespace(**{name: getattr(base, name) for name in VOCABULARY if hasattr(base, name)})
    whole.TaskGroup = (_async_group if is_async else _sync_group)(base, tell)
    whole.select = _no_select
    vars(whole).update(given)
    whole.Channel = _whole_channel(given["Channel"], is_async)
    if "Pool" in given:
        whole.Pool = _whole_pool(given["Pool"], is_async)
    return whole


def _no_select(*_cases: object, **_options: object) -> Any:
    raise Lacking("the model has no select")


# Channels.


def _whole_channel(channel: type, is_async: bool) -> Any:
    """Return the model's Channel if nothing is missing; otherwise a subclass whose missing parts raise `Lacking`."""
    gaps: dict[str, Any] = {}
    for method, told in (_SPECIAL | _iteration(is_async)).items():
        if not hasattr(channel, method):
            gaps[method] = _gap(told)
    if plain := [name for name in _PLAIN if not hasattr(channel, name)]:
        gaps["__getattr__"] = _absent(frozenset(plain))
    for verb in ("send", "receive"):
        if not _takes(getattr(channel, verb), "timeout"):
            gaps[verb] = _without_timeout(getattr(channel, verb), verb)
    absent = {name for name in ("capacity", "name") if not _takes(channel, name)}
    if absent:
        gaps["__init__"] = _poorer_init(channel, absent)
    return type(channel.__name__, (channel,), gaps) if gaps else channel


def _iteration(is_async: bool) -> dict[str, str]:
    return {"__aiter__": "iteration (`async for`)"} if is_async else {"__iter__": "iteration (`for`)"}


def _takes(function: Any, name: str) -> bool:
    """Return whether the function takes an argument of this name; True where Python can't tell."""
    try:
        parameters = signature(function, annotation_format=Format.FORWARDREF).parameters  # they may name anything
    except ValueError, TypeError:
        return True
    kinds = {it.kind for it in parameters.values()}
    return name in parameters or Parameter.VAR_KEYWORD in kinds


def _gap(told: str, kind: str = "Channel") -> Callable[..., Any]:
    def missing(self: object, *_: object) -> Any:
        raise Lacking(f"its {kind} has no {told}")

    return missing


def _absent(names: frozenset[str], kind: str = "Channel") -> Callable[[object, str], Any]:
    """Return a `__getattr__` that raises `Lacking` for these names: it is called only for missing attributes."""

    def missing(self: object, name: str) -> Any:
        if name in names:
            raise Lacking(f"its {kind} has no {name}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    return missing


def _without_timeout(method: Callable[..., Any], verb: str) -> Callable[..., Any]:
    """Return a method that raises `Lacking` for any timeout but the one that the suite uses as a safety net."""

    def wait(self: object, *args: Any, timeout: float | None = None) -> Any:
        wanted = 1 if verb == "send" else 0
        if len(args) > wanted:
            *args, timeout = args  # type: ignore[assignment]
        if timeout is not None and timeout != PATIENCE:
            raise Lacking(f"its Channel.{verb} has no timeout")
        return method(self, *args)

    return wait


def _poorer_init(channel: type, absent: set[str]) -> Callable[..., None]:
    """Return an `__init__` for a Channel that takes no name (it is dropped) or no capacity (it must be inf)."""

    def init(self: Any, capacity: float = 0, name: str | None = None) -> None:
        if "capacity" in absent and capacity != math.inf:
            raise Lacking("its Channel takes no capacity, so it is taken for one without bound")
        wanted = {"capacity": capacity, "name": name}
        channel.__init__(self, **{key: value for key, value in wanted.items() if key not in absent})  # type: ignore[misc]

    return init


# Pools.

_OPTIONS = {
    "__init__": ("initializer", "initargs"),
    "map": ("timeout", "chunksize", "buffersize"),
    "shutdown": ("wait", "cancel_futures"),
}


def _whole_pool(pool: Any, is_async: bool) -> Any:
    """Complete a Pool as `_whole_channel` does a Channel. A function that makes pools is left as it is."""
    if not isinstance(pool, type):
        return pool
    ends = ("__aenter__", "__aexit__") if is_async else ("__enter__", "__exit__")
    gaps: dict[str, Any] = {name: _gap("`with`", "Pool") for name in ends if not hasattr(pool, name)}
    if plain := [name for name in ("submit", "map", "shutdown", "workers") if not hasattr(pool, name)]:
        gaps["__getattr__"] = _absent(frozenset(plain), "Pool")
    for verb, options in _OPTIONS.items():
        if absent := {it for it in options if hasattr(pool, verb) and not _takes(getattr(pool, verb), it)}:
            gaps[verb] = _without_options(getattr(pool, verb), verb, absent)
    return type(pool.__name__, (pool,), gaps) if gaps else pool


def _without_options(method: Callable[..., Any], verb: str, absent: set[str]) -> Callable[..., Any]:
    """Return a method that drops these options if they are None, and otherwise raises `Lacking`."""

    def call(self: object, *args: Any, **options: Any) -> Any:
        for name in [it for it in options if it in absent]:
            if options.pop(name) is not None:
                raise Lacking(f"its Pool{'' if verb == '__init__' else f'.{verb}'} has no {name}")
        return method(self, *args, **options)

    return call


# Groups that report exceptions at once: the group can't cancel a wait in the model's channel, so it may never end.


def _sync_group(base: Any, tell: Tell) -> Any:
    class TaskGroup(base.TaskGroup):  # type: ignore[misc]
        def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> Any:
            _tell_of(error, tell)
            return super().__exit__(kind, error, trace)

        def spawn(self, function: Callable[..., Any], *args: Any, name: str | None = None) -> Any:
            def watched(*args: Any) -> Any:
                try:
                    return function(*args)
                except Exception as error:
                    _tell_of(error, tell)
                    raise

            watched.__name__ = function.__name__
            return super().spawn(watched, *args, name=name)

    return TaskGroup


def _async_group(base: Any, tell: Tell) -> Any:
    class TaskGroup(base.TaskGroup):  # type: ignore[misc]
        async def __aexit__(self, kind: Any, error: BaseException | None, trace: Any) -> Any:
            _tell_of(error, tell)
            return await super().__aexit__(kind, error, trace)

        def spawn(self, function: Callable[..., Any], *args: Any, name: str | None = None) -> Any:
            async def watched(*args: Any) -> Any:
                try:
                    return await function(*args)
                except Exception as error:
                    _tell_of(error, tell)
                    raise

            watched.__name__ = function.__name__
            return super().spawn(watched, *args, name=name)

    return TaskGroup


def _tell_of(error: BaseException | None, tell: Tell) -> None:
    """Report an exception, but not a cancellation: in all models that is a BaseException."""
    if isinstance(error, Exception):
        tell(error)
