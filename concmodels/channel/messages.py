"""The messages of the channel program, and the errors for messages other than those that were due.

Children import this module, so it imports next to nothing.
"""

from itertools import count

from concmodels.programs.messages import Misdelivered, number_of, numbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def expected(senders: int, payload: int) -> dict[Any, Iterator[Any]]:
    """Return a dict from the next message of every sender to the iterator over the messages after it."""
    ahead = [iter(numbered(count(sender, senders), payload)) for sender in range(senders)]
    return {next(sender): sender for sender in ahead}


def unpacked(message: bytes, payload: int) -> int:
    """Return the number in a message with a payload. Raises `Misdelivered` if any of its bytes is wrong."""
    number: int = number_of(message)
    for right in numbered((number,), payload):
        if message != right:
            raise misdelivered(message, {right: None})
    return number


def misdelivered(message: Any, due: dict[Any, Any]) -> Exception:
    """Return the error that says which message came, and which of the same sender was due."""
    if message is None:
        return Misdelivered("a sender ended before all its messages had arrived")
    number, wanted = number_of(message), sorted(map(number_of, due))
    if number in wanted:
        return Misdelivered(f"message {number} arrived with other bytes than it was sent with")
    its = next((other for other in wanted if (number - other) % len(wanted) == 0), wanted[0])
    return Misdelivered(f"message {number} arrived when {its} was due")


def overtaken(number: int, latest: int) -> Exception:
    """Return the error for a message that came to a receiver after a later one."""
    return Misdelivered(f"message {number} arrived after {latest} had arrived")


def too_late(message: Any) -> Exception:
    """Return the error for a message that came after the last one."""
    return Misdelivered(f"message {number_of(message)} arrived after the last one")


def add_up(reports: list[tuple[int, int]], numbers: range) -> None:
    """Raise `Misdelivered` unless the receivers have received exactly these messages, each of them once.

    `reports` has a count and a checksum of each receiver. The chance that other messages have the same count and the
    same checksum is one in 2**61.
    """
    count, checksum = (sum(column) for column in zip(*reports, strict=True))
    if count != len(numbers):
        raise Misdelivered(f"{count:,} messages arrived where {len(numbers):,} were sent")
    if checksum != sum(map(hash, zip(numbers, strict=True))):
        raise Misdelivered("as many messages arrived as were sent, but some of them twice and others not at all")
