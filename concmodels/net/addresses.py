"""Turns a host and a port into what the system takes: the sockets to listen at, and the addresses to connect to."""

import os
import socket
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

type Place = Any
"""What `bind` and `connect` take: it depends on the family."""

_TCP = (socket.AF_INET, socket.AF_INET6)


def is_path(host: str | None) -> bool:
    """Return whether this is the path of a Unix socket: no name of a host has a slash in it."""
    return host is not None and "/" in host


def places(host: str | None, port: int | None, passive: bool = False) -> list[tuple[int, Place]]:
    """Return the family and the place of each address that the host has. Raises `OSError` and `ValueError`."""
    if is_path(host):
        if port is not None:
            raise ValueError(f"{host!r} is the path of a Unix socket, which has no port, so {port!r} is not needed")
        if not hasattr(socket, "AF_UNIX"):
            raise ValueError(f"{host!r} is the path of a Unix socket, and this system has none: give a host and a port")
        return [(socket.AF_UNIX, host)]
    if not isinstance(port, int) or not 0 <= port <= 65535:
        raise ValueError(f"a port is a whole number from 0 to 65535, not {port!r}")
    flags = socket.AI_PASSIVE if passive else 0
    try:  # a number first: the system looks nothing up for it
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags | socket.AI_NUMERICHOST)
    except socket.gaierror:
        found = _resolved(host, port, flags)
    return [(family, place) for family, _, _, _, place in found if family in _TCP]


def _resolved(host: str | None, port: int, flags: int) -> list[Any]:
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)
    except (socket.gaierror, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OSError(getattr(error, "errno", None), f"there is no address for the host {host!r}: {reason}") from None


def listening_socket(host: str | None, port: int | None, backlog: int) -> socket.socket:
    """Return a socket that listens at this address. Raises `OSError`, whose text says where, and `ValueError`."""
    family, place = places(host, port, passive=True)[0]
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        if family in _TCP and sys.platform != "win32":  # there it would let two programs have one port
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(place)
        found.listen(backlog)
    except OSError as error:
        found.close()
        why = os.strerror(error.errno or 0)
        raise OSError(error.errno, f"can't listen at {address_text(host, port)}: {why}") from None
    except BaseException:
        found.close()
        raise
    return found


def connecting_socket(family: int) -> socket.socket:
    """Return a socket that can be connected without waiting."""
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setblocking(False)
    send_at_once(made)
    return made


def send_at_once(connection: socket.socket) -> None:
    """Have the system send small pieces at once, instead of waiting for more of them."""
    if connection.family in _TCP:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def address_of(listening: socket.socket) -> tuple[str, int | None]:
    """Return the host and the port of a listening socket; of a Unix socket its path and None."""
    place = listening.getsockname()
    return (place[0], place[1]) if isinstance(place, tuple) else (place, None)


def address_text(host: str | None, port: int | None) -> str:
    """Return an address as it is written: `127.0.0.1:8000`, `[::1]:8000`, `/run/echo`.

    >>> from concmodels.net.addresses import address_text
    >>> address_text("::1", 8000)
    '[::1]:8000'
    """
    if port is None:
        return str(host)
    return f"[{host}]:{port}" if host and ":" in host else f"{host or '*'}:{port}"
