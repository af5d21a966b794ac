"""`ThreadingTCPServer` starts a thread for each connection."""

import socket
from socketserver import (
    StreamRequestHandler,
    ThreadingTCPServer,
)
from threading import Thread


class Echo(StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.wfile.write(line)


def ask(address):
    with socket.create_connection(address) as client:
        client.sendall(b"hello\n")
        print(client.recv(100).decode(), end="")


def main():
    with ThreadingTCPServer(("127.0.0.1", 0), Echo) as server:
        serving = Thread(target=server.serve_forever)
        serving.start()
        try:
            ask(server.server_address)
        finally:
            server.shutdown()
            serving.join()


if __name__ == "__main__":
    main()
