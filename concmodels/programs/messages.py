"""Messages with numbers, with or without a payload, by which a program knows that each arrived once and in order.

Children import this, so it imports nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class Misdelivered(Exception):
    """A message was lost, came twice, or came out of order."""


def numbered(numbers: Iterable[int], payload: int) -> Iterable[Any]:
    """The messages of these numbers: the bare numbers or, with a payload, that many bytes around them.

    The number stands big-endian in the last eight bytes and, as far as there is room before them, in the first eight.
    """
    if not payload:
        return numbers
    head, filling = min(8, payload - 8), bytes(max(0, payload - 16))
    return (number.to_bytes(8)[:head] + filling + number.to_bytes(8) for number in numbers)


def number_of(message: Any) -> Any:
    """The number that a message has, with or without a payload."""
    return int.from_bytes(message[-8:]) if isinstance(message, bytes) else message
