"""The tasks of `test_socket_travel.py`. Each child imports this file, so it imports nothing at all."""

KEPT = []


def shout(stream):
    with stream:
        stream.sendall(stream.recv(100).upper())


def fail_with(stream):
    raise ValueError(stream)


def forget_to_close(stream):
    stream.sendall(b"open")


def keep_open(stream):
    stream.sendall(b"open")
    KEPT.append(stream)


def send_on(model, channel, stream):
    channel.send(stream)
    stream.close()
