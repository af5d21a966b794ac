"""`poll` where there is none, which is Windows: by `select`, which takes nothing but sockets there.

It is not interrupted by Ctrl-C on Windows, so it waits in slices, between which Python calls the handlers of signals.
It takes 512 sockets at a time there; more are looked at in turn, and the slices are short.
"""

try:
    from select import POLLIN, POLLOUT, poll
except ImportError:
    import time
    from errno import ENOTSOCK
    from itertools import batched
    from select import select

    TYPE_CHECKING = False
    if TYPE_CHECKING:
        from typing import Any

    POLLIN, POLLOUT, _POLLNVAL = 1, 4, 32  # type: ignore[misc] # where select has none
    _SLICE_S, _SHORT_S = 0.2, 0.005
    _AT_A_TIME = 500

    class poll:  # type: ignore[no-redef] # as the system's own is named
        """Waits for some of many sockets; see `select.poll`."""

        def __init__(self) -> None:
            self._events: dict[int, int] = {}

        def register(self, fd: Any, events: int = POLLIN | POLLOUT) -> None:
            """Poll this socket, or its number, for these events. Raises `OSError` for anything else."""
            number = _number(fd)
            if _is_closed(number):
                raise OSError(ENOTSOCK, "Windows waits for open sockets only, and not for files or pipes")
            self._events[number] = events

        modify = register

        def unregister(self, fd: Any) -> None:
            """Poll it no longer. Raises `KeyError` if it is not polled."""
            del self._events[_number(fd)]

        def poll(self, timeout: float | None = None) -> list[tuple[int, int]]:
            """Wait for at most `timeout` milliseconds; return the numbers of those that are ready, with the events."""
            until = None if timeout is None or timeout < 0 else time.monotonic() + timeout / 1000
            while True:
                rest = _SLICE_S if until is None else max(0.0, min(_SLICE_S, until - time.monotonic()))
                if found := self._ready(rest):
                    return found
                if until is not None and time.monotonic() >= until:
                    return []

        def _ready(self, seconds: float) -> list[tuple[int, int]]:
            if len(self._events) <= _AT_A_TIME:
                return _selected(self._events, seconds)
            found = []
            for some in batched(self._events.items(), _AT_A_TIME, strict=False):
                found += _selected(dict(some), 0)
            if not found:
                time.sleep(min(seconds, _SHORT_S))
            return found

    def _selected(polled: dict[int, int], seconds: float) -> list[tuple[int, int]]:
        readers = [fd for fd, events in polled.items() if events & POLLIN]
        writers = [fd for fd, events in polled.items() if events & POLLOUT]
        if not (readers or writers):
            time.sleep(seconds)  # Windows refuses to wait for nothing
            return []
        try:
            readable, writable, failed = select(readers, writers, writers, seconds)  # failed: to connect
        except OSError:
            return [(fd, _POLLNVAL) for fd in polled if _is_closed(fd)]
        found = dict.fromkeys(readable, POLLIN)
        for fd in (*writable, *failed):
            found[fd] = found.get(fd, 0) | POLLOUT
        return list(found.items())

    def _number(fd: Any) -> int:
        return fd if isinstance(fd, int) else int(fd.fileno())

    def _is_closed(fd: int) -> bool:
        try:
            select([fd], [], [], 0)
        except OSError:
            return True
        return False


__all__ = ["POLLIN", "POLLOUT", "poll"]
