"""`poll`, by which a model waits for a socket, where the system has it; elsewhere a call of it says that it has not."""

try:
    from select import POLLIN, POLLOUT, poll
except ImportError:
    from concmodels.platform.portable.polling import (  # type: ignore[assignment] # it only raises
        POLLIN,
        POLLOUT,
        poll,
    )

__all__ = ["POLLIN", "POLLOUT", "poll"]
