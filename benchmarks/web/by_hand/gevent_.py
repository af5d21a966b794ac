"""gevent's StreamServer, which has a greenlet for each connection."""

import sys

import gevent
from gevent.server import StreamServer
from gevent.socket import socket

from benchmarks.web.by_hand.pages import PAUSE_S, WAITED, first


def converse(connection: socket, _: object) -> None:
    """Answer the requests of one connection, one after the other."""
    data = b""
    with connection:
        while more := connection.recv(65536):
            answer, data = first(data + more)
            while answer:
                if answer is WAITED:
                    gevent.sleep(PAUSE_S)
                connection.sendall(answer)
                answer, data = first(data)


if __name__ == "__main__":
    StreamServer(("127.0.0.1", int(sys.argv[1])), converse, backlog=1024).serve_forever()
