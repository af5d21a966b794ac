"""Two green threads can't wait for the same socket: the second one gets an error."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import eventlet
    from eventlet.green import socket


def read(end: socket.socket) -> str:
    try:
        return f"got {end.recv(100)!r}"
    except RuntimeError as error:
        return f"RuntimeError: {str(error).partition(' on ')[0]}"


if __name__ == "__main__":
    here, there = socket.socketpair()
    readers = [eventlet.spawn(read, here) for _ in range(2)]
    eventlet.sleep(0)  # both begin to read
    there.sendall(b"hello")
    for reader in readers:
        print(reader.wait())
    here.close()
    there.close()
