"""The commonest slips, told in one sentence: the wrong colour, and a timeout that is no number."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_IS_COROUTINE = 0x80  # inspect.CO_COROUTINE; inspect is too heavy for the children


def must_be_plain(function: Callable[..., Any], model: str) -> None:
    """Raise `TypeError` for an `async def` function: a sync room would call it and nothing would happen."""
    code = getattr(function, "__code__", None)
    if code is not None and code.co_flags & _IS_COROUTINE:
        name = getattr(function, "__qualname__", "the function")
        raise TypeError(
            f"{name} is an `async def` function, and {model} is a sync room: write `def`, "
            "or load an async room (asyncio, trio, anyio)"
        )


def must_be_seconds(timeout: float) -> None:
    """Raise `TypeError` or `ValueError` for a timeout that is no number."""
    try:
        is_number = timeout + 0 == timeout
    except TypeError:
        raise TypeError(f"a timeout is a number of seconds, or None, not {timeout!r}") from None
    if not is_number:
        raise ValueError("a timeout is a number of seconds, or None, not nan")
