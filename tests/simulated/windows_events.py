"""What the documentation of Windows says of its events, tried on the simulated ones."""

import _winapi
import threading
from concurrent import interpreters

from concmodels.platform.portable import windows

NAME = "Local\\concmodels-test"


def main():
    ours = _winapi.CreateEventW(0, False, True, NAME)
    other = _winapi.OpenEventW(windows._ACCESS, False, NAME)
    assert _winapi.WaitForSingleObject(ours, 0) == _winapi.WAIT_OBJECT_0
    assert _winapi.WaitForSingleObject(other, 0) == _winapi.WAIT_TIMEOUT  # it has reset itself, for all
    _winapi.SetEvent(other)
    _winapi.SetEvent(other)
    assert _winapi.WaitForSingleObject(ours, _winapi.INFINITE) == _winapi.WAIT_OBJECT_0
    assert _winapi.WaitForSingleObject(ours, 1) == _winapi.WAIT_TIMEOUT  # set twice is set once
    wakes_a_thread(ours, other)
    is_seen_by_an_interpreter(ours)
    _winapi.CloseHandle(other)
    _winapi.CloseHandle(ours)
    for use in (lambda: _winapi.SetEvent(ours), lambda: _winapi.OpenEventW(windows._ACCESS, False, NAME)):
        try:
            use()
        except OSError:
            continue
        raise AssertionError("a closed handle, or a name without one, was of use")
    excludes()


def wakes_a_thread(ours, other):
    through = []
    waits = [threading.Thread(target=lambda: through.append(_winapi.WaitForSingleObject(ours, 60_000))) for _ in "ab"]
    for it in waits:
        it.start()
    _winapi.SetEvent(other)
    while not through:
        pass
    assert through == [_winapi.WAIT_OBJECT_0]  # the other one still waits
    _winapi.SetEvent(other)
    for it in waits:
        it.join()
    assert through == [_winapi.WAIT_OBJECT_0] * 2


def is_seen_by_an_interpreter(ours):
    interpreter = interpreters.create()
    interpreter.exec(f"import _winapi; _winapi.SetEvent(_winapi.OpenEventW({windows._ACCESS}, False, {NAME!r}))")
    interpreter.close()
    assert _winapi.WaitForSingleObject(ours, 0) == _winapi.WAIT_OBJECT_0


def excludes():
    """A lock of ours lets one thread in at a time."""
    windows.make_semaphore("/lock")
    inside, most, end = [0], [0], 2000

    def work():
        lock = windows.open_semaphore("/lock")
        for _ in range(end):
            assert lock.acquire(True, 60)
            inside[0] += 1
            most[0] = max(most[0], inside[0])
            inside[0] -= 1
            lock.release()
        lock.close()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for it in threads:
        it.start()
    for it in threads:
        it.join()
    assert most == [1]
    windows.remove_semaphore("/lock")


if __name__ == "__main__":
    main()
