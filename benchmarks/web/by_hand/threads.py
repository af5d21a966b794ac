"""A thread for each connection, which waits in `recv`."""

import socket
import sys
import threading
import time

from benchmarks.web.by_hand.pages import PAUSE_S, WAITED, first


def converse(connection: socket.socket) -> None:
    """Answer the requests of one connection, one after the other."""
    data = b""
    with connection:
        while more := connection.recv(65536):
            answer, data = first(data + more)
            while answer:
                if answer is WAITED:
                    time.sleep(PAUSE_S)
                connection.sendall(answer)
                answer, data = first(data)


def main(port: int) -> None:
    """Accept connections for ever."""
    listener = socket.create_server(("127.0.0.1", port), backlog=1024)
    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=converse, args=[connection], daemon=True).start()


if __name__ == "__main__":
    main(int(sys.argv[1]))
