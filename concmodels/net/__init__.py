"""Streams over sockets: `listen` and `connect`, on every model.

`sync.py` and `awaited.py` have the same text except for `await`. `base.py` has what both do without waiting, and
`addresses.py` resolves hosts and ports. Nothing here depends on a model: everything is built on the operations
`wait_readable`, `wait_writable`, `notify_closing`, `sleep` and `now`, and on a channel.

TLS is not supported. A server that needs it can run behind a proxy that does TLS.
"""

from concmodels.two_forms import is_async

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine
    from types import ModuleType
    from typing import Any, overload

    from concmodels.contract import Model
    from concmodels.net.awaited import AsyncListener, AsyncStream
    from concmodels.net.sync import Listener, Stream
    from concmodels.typed import AsyncModel, SyncModel
else:
    from concmodels import overload

__all__ = ["AsyncListener", "AsyncStream", "Listener", "Stream", "connect", "is_async", "listen"]


@overload
def listen(model: SyncModel, host: str | None, port: int | None = None, backlog: int = 1024) -> Listener: ...
@overload
def listen(  # noqa: F811
    model: AsyncModel, host: str | None, port: int | None = None, backlog: int = 1024
) -> AsyncListener: ...
@overload
def listen(  # noqa: F811
    model: Model, host: str | None, port: int | None = None, backlog: int = 1024
) -> Listener | AsyncListener: ...
@overload
def listen(  # noqa: F811
    model: ModuleType, host: str | None, port: int | None = None, backlog: int = 1024
) -> Any: ...
def listen(  # noqa: F811
    model: Any, host: str | None, port: int | None = None, backlog: int = 1024
) -> Listener | AsyncListener:
    """Return a `Listener` at this address, or in an async model an `AsyncListener`. Not awaited; it needs no run.

    `host` is a name or a numeric address, IPv4 or IPv6; None means all addresses of this machine. With port 0 the
    system chooses a free one; the listener's `address` contains it. A host with a slash in it is the path of a Unix
    socket, which has no port; its file is removed when the listener is closed here.

    A name is resolved by `getaddrinfo`, and no other task of a cooperative model runs during that time. A numeric
    address is not resolved. If a name has several addresses, the listener uses the first one. `backlog` is the number
    of connections that the system keeps until they are accepted.

    Raises `OSError` (for example if the port is in use, or not permitted), and `ValueError` for an invalid port.

        >>> from concmodels import load
        >>> from concmodels.net import connect, listen
        >>> def main(model):
        ...     with listen(model, "127.0.0.1", 0) as listener, model.TaskGroup() as group:
        ...         group.spawn(greet, listener)
        ...         with connect(model, *listener.address, timeout=5) as stream:
        ...             return stream.receive()
        >>> def greet(listener):
        ...     with listener.accept() as stream:
        ...         stream.send(b"good day")
        >>> model = load("threads")
        >>> model.run(main, model)
        b'good day'
    """
    from concmodels.net.addresses import is_path, listening_socket

    if is_async(model):
        from concmodels.net.awaited import AsyncListener as kind
    else:
        from concmodels.net.sync import Listener as kind  # type: ignore[assignment]
    listener = kind(model, listening_socket(host, port, backlog))
    listener.path = host if is_path(host) else None
    return listener


@overload
def connect(model: SyncModel, host: str, port: int | None = None, *, timeout: float | None = None) -> Stream: ...
@overload
def connect(  # noqa: F811
    model: AsyncModel, host: str, port: int | None = None, *, timeout: float | None = None
) -> Coroutine[Any, Any, AsyncStream]: ...
@overload
def connect(  # noqa: F811
    model: Model, host: str, port: int | None = None, *, timeout: float | None = None
) -> Stream | Coroutine[Any, Any, AsyncStream]: ...
@overload
def connect(  # noqa: F811
    model: ModuleType, host: str, port: int | None = None, *, timeout: float | None = None
) -> Any: ...
def connect(  # noqa: F811
    model: Any, host: str, port: int | None = None, *, timeout: float | None = None
) -> Stream | Coroutine[Any, Any, AsyncStream]:
    """Connect to this address and return a `Stream`; awaited in an async model, where it is an `AsyncStream`.

    The address has the form of `listen`: `connect(model, *listener.address)`. If a name has several addresses, they are
    tried one after the other. `timeout` is in seconds. It doesn't limit the time in which the system resolves a name;
    no other task of a cooperative model runs during that time.

    Raises `ConnectionError` or another `OSError` (for the last address that was tried), and `TimeoutError`.
    """
    if is_async(model):
        from concmodels.net.awaited import connect
    else:
        from concmodels.net.sync import connect  # type: ignore[assignment]
    return connect(model, host, port, timeout)


def __getattr__(name: str) -> Any:
    """Import the classes when they are asked for: a program needs those of one kind."""
    if name in ("Listener", "Stream"):
        from concmodels.net import sync as module
    elif name in ("AsyncListener", "AsyncStream"):
        from concmodels.net import awaited as module  # type: ignore[no-redef]
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(module, name)
