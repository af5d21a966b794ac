"""The serve program under observation, and clients for it."""

import contextlib
import re
import socket

import pytest
from commands import ENDS_WITHIN_S, Program
from undisturbed import undisturbed

HOST = "127.0.0.1"
HELLO = b'{"message": "Hello, world!"}'
PATIENCE = 60
BODY = b"x"


def request(target, method="GET", body=b"", fields=""):
    """The bytes of a request."""
    length = f"Content-Length: {len(body)}\r\n" if body else ""
    return f"{method} {target} HTTP/1.1\r\nHost: x\r\n{fields}{length}\r\n".encode() + body


class Served(Program):
    """`python -m concmodels.serve --port 0 ...`, once it listens."""

    def __init__(self, folder, *arguments, **options):
        super().__init__(folder, "--port", 0, *arguments, module="concmodels.serve", **options)
        self.line = self.process.stdout.readline()
        found = re.fullmatch(r"(.+) serves at http://127\.0\.0\.1:(\d+)/ until Ctrl-C\n", self.line)
        assert found, (self.line, self.process.communicate())
        self.address = (HOST, int(found[2]))

    def stop(self, signum, meanwhile=None):
        """Send a signal; return the exit status, standard error and the `undisturbed` seconds that it took.

        `meanwhile` is called while the server ends.
        """
        began = undisturbed()
        self.process.send_signal(signum)
        if meanwhile:
            meanwhile()
        status, _, err = self.end(ENDS_WITHIN_S)
        return status, err, undisturbed() - began


class Client:
    """A connection to a server."""

    def __init__(self, address):
        self.socket = self.connected(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""

    def connected(self, address):
        """A socket that is connected."""
        return socket.create_connection(address, timeout=PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def begin(self, target):
        """Send a request but for its body, `BODY`; return once the server is at it, as its wish for the body tells."""
        fields = f"Content-Length: {len(BODY)}\r\nExpect: 100-continue\r\n"
        self.send(request(target, fields=fields))
        assert self.answer()[0] == 100

    def ask(self, *args, **options):
        """Send a request; return the status and the body of the answer."""
        self.send(request(*args, **options))
        status, _, body = self.answer(options.get("method") != "HEAD")
        return status, body

    def answer(self, has_body=True):
        """Return the status of the next answer, its fields in small letters, its body; None if there is none."""
        while b"\r\n\r\n" not in self.received:
            if not self._more():
                return None
        head, _, self.received = self.received.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in lines)
        length = int(fields.get("content-length", 0)) if has_body else 0
        while len(self.received) < length:
            assert self._more(), "the answer ended in the middle"
        body, self.received = self.received[:length], self.received[length:]
        return int(first.split()[1]), fields, body

    def _more(self):
        data = self.socket.recv(65536)
        if not data:
            assert not self.received, "the connection ended in the middle of an answer"
        self.received += data
        return data

    def ends(self):
        """Whether the other side has ended the connection, and sent nothing more."""
        with contextlib.suppress(ConnectionResetError):
            return self.received == b"" and self.socket.recv(1) == b""
        return True


class Deaf(Client):
    """A client that never reads, and has little room for what it is sent."""

    def connected(self, address):
        made = socket.socket()
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        made.connect(address)
        return made

    def ask_until_the_end(self):
        """Ask for large answers, one after the other, until the server ends the connection."""
        with pytest.raises(ConnectionError):
            while True:
                self.send(request("/echo", "POST", b"x" * 2**20))


def impatient_work(*args):
    """What a worker of processes or subinterp does, with little patience for a client that never reads."""
    from concmodels.serve import tasks, workers

    tasks.SEND_S = 0.05
    workers.work(*args)
