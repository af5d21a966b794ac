"""Two threads emit an event, and one of them gets a KeyError: the handler that is called once was removed already."""

import threading

from pyee import EventEmitter


def main() -> None:
    calls: list[int] = []
    emitter = EventEmitter()
    emitter.once("end", calls.append)
    threads = [threading.Thread(target=emitter.emit, args=("end", number)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1, calls
