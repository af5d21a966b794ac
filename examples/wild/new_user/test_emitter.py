import threading

import pytest
from pyee import EventEmitter


def in_two_threads(function, *arguments):
    threads = [threading.Thread(target=function, args=arguments) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.explore
def test_each_listener_is_kept():
    emitter = EventEmitter()
    in_two_threads(lambda: emitter.on("end", lambda: None))
    assert len(emitter.listeners("end")) == 2


@pytest.mark.explore(in_all=True)
def test_a_handler_is_called_once():
    calls = []
    emitter = EventEmitter()
    emitter.once("end", calls.append)
    in_two_threads(emitter.emit, "end", 1)
    assert calls == [1]
