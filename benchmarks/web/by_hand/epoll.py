"""One thread, one epoll, no tasks at all: what a connection waits for is an entry in a table."""

import select
import socket
import sys
from collections import deque
from time import monotonic

from benchmarks.web.by_hand.pages import PAUSE_S, WAITED, first


class Service:
    """All connections, and the answers that wait."""

    def __init__(self, port: int) -> None:
        self.listener = socket.create_server(("127.0.0.1", port), backlog=1024)
        self.listener.setblocking(False)
        self.epoll = select.epoll()
        self.epoll.register(self.listener, select.EPOLLIN)
        self.connections: dict[int, socket.socket] = {}
        self.data: dict[int, bytes] = {}
        self.waiting: deque[tuple[float, int, socket.socket]] = deque()  # in the order of their ends: all wait as long

    def run(self) -> None:
        """Serve for ever."""
        while True:
            pause = max(0, self.waiting[0][0] - monotonic()) if self.waiting else None
            for fd, _ in self.epoll.poll(pause):
                if fd == self.listener.fileno():
                    self.accept()
                else:
                    self.read(fd)
            while self.waiting and self.waiting[0][0] <= monotonic():
                _, fd, connection = self.waiting.popleft()
                if self.connections.get(fd) is connection:
                    self.send(fd, WAITED)
                    self.go_on(fd)

    def accept(self) -> None:
        """Take a connection."""
        connection, _ = self.listener.accept()
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connections[connection.fileno()] = connection
        self.data[connection.fileno()] = b""
        self.epoll.register(connection, select.EPOLLIN)

    def read(self, fd: int) -> None:
        """Take what has come on a connection."""
        try:
            more = self.connections[fd].recv(65536)
        except ConnectionError:
            more = b""
        if not more:
            self.leave(fd)
            return
        self.data[fd] += more
        self.go_on(fd)

    def go_on(self, fd: int) -> None:
        """Answer what has come, up to a request that waits; a client here sends one at a time."""
        answer, self.data[fd] = first(self.data[fd])
        if answer is WAITED:
            self.waiting.append((monotonic() + PAUSE_S, fd, self.connections[fd]))
        elif answer:
            self.send(fd, answer)

    def send(self, fd: int, answer: bytes) -> None:
        """Send an answer, for which the socket has space: the client has read the one before."""
        try:
            self.connections[fd].send(answer)
        except ConnectionError:
            pass  # it is readable too then, and `read` leaves it

    def leave(self, fd: int) -> None:
        """Close a connection."""
        self.connections.pop(fd).close()
        del self.data[fd]


if __name__ == "__main__":
    Service(int(sys.argv[1])).run()
