"""Requests to an event loop that no schedule decides: they end the run, with a sentence that shows the way out."""

import sys
from collections.abc import Callable
from typing import Any

from concmodels.explore.errors import CannotExplore
from concmodels.models.simulated.world import current
from concmodels.models.tasks.signals.frames import place, stack

_A_STREAM = (
    "give the program streams over a simulated pipe, or an HTTP client a transport that answers by futures, as in "
    "examples/races/without_sockets"
)
_REFUSED = {
    **dict.fromkeys(
        (
            "connect_accepted_socket", "create_connection", "create_datagram_endpoint", "create_server",
            "create_unix_connection", "create_unix_server", "sendfile", "sock_accept", "sock_connect", "sock_recv",
            "sock_recv_into", "sock_recvfrom", "sock_recvfrom_into", "sock_sendall", "sock_sendfile", "sock_sendto",
            "start_tls", "getaddrinfo", "getnameinfo",
        ),
        ("opens or uses a socket", _A_STREAM),
    ),
    **dict.fromkeys(("add_reader", "add_writer", "remove_reader", "remove_writer"), ("waits for a file", _A_STREAM)),
    **dict.fromkeys(("connect_read_pipe", "connect_write_pipe"), ("opens a pipe", _A_STREAM)),
    **dict.fromkeys(
        ("subprocess_exec", "subprocess_shell"),
        ("starts a process", "give the program a coroutine function that answers in place of the process"),
    ),
}  # fmt: skip
"""The methods of a loop, what a program does by each, and what it can do instead."""


def refuse(what: str, instead: str) -> None:
    """End the run, if there is one, whatever the program catches."""
    world = current()
    if world is not None:
        where = place(stack(sys._getframe(1)))
        error = CannotExplore(f"the program {what}{where}, and no schedule decides what comes of that: {instead}")
        world.cut(error)
        raise error


def refusing_methods() -> dict[str, Callable[..., Any]]:
    """Return the methods of an event loop that are refused."""
    return {name: _refusing(*why) for name, why in _REFUSED.items()}


def _refusing(what: str, instead: str) -> Callable[..., Any]:
    def method(*_: Any, **__: Any) -> None:
        refuse(what, instead)

    return method
