"""`poll`, by which a model waits for a socket: the system's own, or what stands in for it on Windows."""

from concmodels.platform.portable.polling import POLLIN, POLLOUT, poll

__all__ = ["POLLIN", "POLLOUT", "poll"]
