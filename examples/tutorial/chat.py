"""A chat: what one client says, all the others hear."""

from contextlib import suppress

from concmodels import Channel, SyncModel, load
from concmodels.errors import WouldBlock
from concmodels.net import Listener, Stream, connect, listen

type Event = tuple[str, Channel[bytes], bytes]  # what has happened, the client's outbox, and what it said


def serve(model: SyncModel, listener: Listener) -> None:
    events = model.Channel(100)
    with model.TaskGroup() as group:
        group.spawn(distribute, events)
        with model.TaskGroup() as clients:
            for stream in listener:
                clients.spawn(converse, model, stream, events)
        events.close()


def converse(model: SyncModel, stream: Stream, events: Channel[Event]) -> None:
    outbox = model.Channel(100)
    events.send(("came", outbox, b"welcome"))
    with stream, model.TaskGroup() as group:
        group.spawn(send_all, stream, outbox)
        with suppress(OSError):  # a connection that breaks has ended, too
            while data := stream.receive():
                events.send(("said", outbox, data))
        events.send(("left", outbox, b""))


def send_all(stream: Stream, outbox: Channel[bytes]) -> None:
    with suppress(OSError):
        for data in outbox:
            stream.send(data)


def distribute(events: Channel[Event]) -> None:
    outboxes: list[Channel[bytes]] = []  # only this task knows them
    for event, outbox, data in events:
        if event == "came":
            outboxes.append(outbox)
            outbox.send(data)
        elif event == "left":
            outboxes.remove(outbox)
            outbox.close()
        else:
            for other in outboxes:
                if other is not outbox:
                    with suppress(WouldBlock):  # a client that doesn't read misses something, and delays nobody
                        other.send_nowait(data)


def main(model: SyncModel) -> None:
    with listen(model, "127.0.0.1", 0) as listener, model.TaskGroup() as group:
        group.spawn(serve, model, listener)
        clients = [connect(model, *listener.address, timeout=5) for _ in range(3)]
        for client in clients:
            print(client.receive())
        clients[0].send(b"hello, everybody")
        print(clients[1].receive(), clients[2].receive())
        for client in clients:
            client.close()
        listener.close()


if __name__ == "__main__":
    threads = load("threads")
    threads.run(main, threads)
