"""A server for the tests of the load generator, with one fault: `python web_server.py BEHAVIOUR`; it prints its port.

Everything is one thread that answers one request after the other, so what it does is the same each time.
"""

import selectors
import socket
import sys
import time

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
STALL_AFTER, STALL_S = 1500, 1.0
SLOW_S = 0.005


class Server:
    """Answers `ok` to whatever comes in one piece."""

    def __init__(self, behaviour):
        self.answer = getattr(self, behaviour)
        self.selector = selectors.DefaultSelector()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.listener.setblocking(False)
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.answers = 0
        self.only = None

    def run(self):
        print(self.listener.getsockname()[1], flush=True)
        while True:
            for key, _ in self.selector.select():
                if key.fileobj is self.listener:
                    self.accept()
                elif asked := self.read(key.fileobj):
                    self.answer(key.fileobj, asked)

    def accept(self):
        connection, _ = self.listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.selector.register(connection, selectors.EVENT_READ)

    def read(self, connection):
        try:
            data = connection.recv(4096)
        except ConnectionResetError:
            data = b""
        if not data:
            self.leave(connection)
        return data

    def leave(self, connection):
        self.selector.unregister(connection)
        connection.close()

    def send(self, connection, answer=ANSWER):
        self.answers += 1
        try:
            connection.sendall(answer)
        except OSError:
            self.leave(connection)

    def at_once(self, connection, _):
        self.send(connection)

    def stall(self, connection, _):
        """Stand still once."""
        if self.answers == STALL_AFTER:
            time.sleep(STALL_S)
        self.send(connection)

    def one(self, connection, _):
        """Serve the first connection, and let the others wait."""
        self.only = self.only or connection
        if connection is self.only:
            self.send(connection)

    def slow(self, connection, _):
        """Answer no more than 200 requests a second."""
        time.sleep(SLOW_S)
        self.send(connection)

    def closing(self, connection, _):
        """Close after each answer, and say so."""
        self.send(connection, ANSWER.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        self.leave(connection)

    def until_closed(self, connection, _):
        """Say by closing where the body ends, as HTTP/1.0 does."""
        self.send(connection, b"HTTP/1.0 200 OK\r\n\r\nok")
        self.leave(connection)

    def silently_closing(self, connection, _):
        """Close after each answer without saying so."""
        self.send(connection)
        self.leave(connection)

    def chunked(self, connection, _):
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        self.send(connection, head + b"1\r\no\r\n1;x=y\r\nk\r\n0\r\nA: b\r\n\r\n")

    def failing(self, connection, _):
        """Answer one request, have nothing for the next, give half of an answer to the third, and so on."""
        whole = self.answers % 4
        if whole == 3:
            connection.sendall(b"nonsense\r\n\r\n")
        self.send(connection, (ANSWER, ANSWER.replace(b"200 OK", b"503 No"), ANSWER[:-1], b"")[whole])
        if whole >= 2:
            self.leave(connection)

    def by_path(self, connection, asked):
        """Have another status for what is not there."""
        self.send(connection, ANSWER if b"GET /here" in asked else ANSWER.replace(b"200", b"404"))

    def twice(self, connection, _):
        self.send(connection, ANSWER * 2)

    def leaving(self, connection, _):
        """Close in place of an answer."""
        self.leave(connection)


if __name__ == "__main__":
    Server(sys.argv[1]).run()
