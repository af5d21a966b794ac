"""Pickling by Dask's own rules, by which lambdas and functions of the main program are pickled by value."""

from distributed.protocol.pickle import dumps as _dumps
from distributed.protocol.pickle import loads as _loads

from concmodels.errors import CannotTravel
from concmodels.models.memory.pickling import reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def pack(value: object, refusal: str = "") -> bytes:
    """Pickle an item of a channel, or what a task returned. Raises `CannotTravel`, with this refusal and the reason."""
    try:
        return bytes(_dumps(value))
    except Exception as error:
        refusal = refusal or f"a {type(value).__name__} can't travel through this channel"
        raise CannotTravel(f"{refusal}: {reason_of(error)}") from error


def unpack(data: bytes, what: str = "an item of this channel") -> Any:
    """Unpickle what the program has sent. Raises `CannotTravel` if that is impossible here; `what` names it."""
    try:
        return _loads(data)
    except Exception as error:
        raise CannotTravel(f"{what} can't be unpickled where it arrives: {reason_of(error)}") from error


def pack_call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> bytes:
    """Pickle a call. Raises `CannotTravel`, which names the part that can't be pickled."""
    if not callable(function):
        raise TypeError(f"a function is needed, not {function!r}")
    try:
        return bytes(_dumps((function, args, kwargs or {})))
    except Exception as error:
        parts = [("the function", function), *((f"argument {number}", value) for number, value in enumerate(args, 1))]
        what = next((f"{part} ({_name(value)})" for part, value in parts if not _travels(value)), "this call")
        raise CannotTravel(f"{what} can't travel to a worker: {reason_of(error)}") from error


def _travels(value: object) -> bool:
    try:
        _dumps(value)
    except Exception:  # noqa: BLE001 - any error says that it can't be pickled
        return False
    return True


def _name(value: object) -> str:
    return getattr(value, "__qualname__", None) or f"a {type(value).__name__}"
