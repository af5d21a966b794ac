"""`StreamServer` starts a greenlet for each connection, which gets the socket."""

from gevent import socket
from gevent.server import StreamServer


def echo(connection, address):
    with connection:
        while data := connection.recv(4096):
            connection.sendall(data)


def ask(address):
    with socket.create_connection(address) as client:
        client.sendall(b"hello\n")
        print(client.recv(100).decode(), end="")


def main():
    server = StreamServer(("127.0.0.1", 0), echo)
    server.start()
    try:
        ask(server.address)
    finally:
        server.stop()


if __name__ == "__main__":
    main()
