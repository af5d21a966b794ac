"""A simulated world has no sockets: its time is virtual, and what comes from outside is part of no schedule."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Never


class NoSockets(NotImplementedError):
    """A simulated task was about to wait for a socket."""


def wait_for_socket(_socket: Any, _timeout: float | None = None) -> Never:
    """Refuse to wait. Raises `NoSockets`."""
    raise NoSockets(
        "a simulated run can't wait for sockets, because its time is virtual and no schedule decides what comes from "
        "outside: send on channels instead, or take another model"
    )


def notify_closing(_socket: Any) -> None:
    """Do nothing: no task waits for a socket here."""
