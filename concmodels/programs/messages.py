"""Numbered messages, with or without a payload: by the numbers a program checks that each arrives once and in order.

Children import this module, so it imports nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


class Misdelivered(Exception):
    """A message was lost, came twice, or came out of order."""


def numbered(numbers: Iterable[int], payload: int) -> Iterable[Any]:
    """Return the messages with these numbers: the bare numbers or, with a payload, that many bytes around each number.

    The number is in the last eight bytes, big-endian, and also in the first eight, as far as these come before the
    last eight.
    """
    if not payload:
        return numbers
    head, filling = min(8, payload - 8), bytes(max(0, payload - 16))
    return (number.to_bytes(8)[:head] + filling + number.to_bytes(8) for number in numbers)


def number_of(message: Any) -> Any:
    """Return the number of a message, with or without a payload."""
    return int.from_bytes(message[-8:]) if isinstance(message, bytes) else message
