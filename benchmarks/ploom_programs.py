"""The races in ploom's own types, as far as it has them: it runs no unmodified programs."""

from contextlib import nullcontext
from typing import Any


def lost_update(ploom: Any, fixed: bool) -> None:
    """Two visitors."""
    visitors, lock = ploom.SharedCell(0), ploom.Lock()

    def visit() -> None:
        if fixed:
            with lock:
                visitors.write(visitors.read() + 1)
        else:
            visitors.write(visitors.read() + 1)

    _together(ploom, visit, visit)
    assert visitors.read() == 2


def check_then_act(ploom: Any, fixed: bool) -> None:
    """Two withdrawals."""
    balance, lock = ploom.SharedCell(100), ploom.Lock()

    def withdraw() -> None:
        with lock if fixed else nullcontext():
            if balance.read() >= 80:
                balance.write(balance.read() - 80)

    _together(ploom, withdraw, withdraw)
    assert balance.read() == 20


def double_close(ploom: Any, fixed: bool) -> None:
    """Two that close one connection."""
    free, closed = ploom.SharedCell(0), ploom.SharedCell(False)
    lock_of_pool, lock = ploom.Lock(), ploom.Lock()

    def close() -> None:
        with lock if fixed else nullcontext():
            if not closed.read():
                with lock_of_pool:
                    free.write(free.read() + 1)
                closed.write(True)

    _together(ploom, close, close)
    assert free.read() == 1


def unsafe_publication(ploom: Any, fixed: bool) -> None:
    """Two that use the settings."""
    settings, port, lock = ploom.SharedCell(False), ploom.SharedCell(0), ploom.Lock()

    def connect() -> None:
        if not settings.read():
            with lock:
                if not settings.read():
                    for cell, value in ((port, 8080), (settings, True))[:: 1 if fixed else -1]:
                        cell.write(value)
        assert port.read() == 8080

    _together(ploom, connect, connect)


def aba(ploom: Any, fixed: bool) -> None:
    """A stack of names whose nodes are cells; in the fixed one, every push makes the top another one."""
    top, lock = ploom.SharedCell(("A", 0)), ploom.Lock()
    below = {"A": ploom.SharedCell(("B", 0)), "B": ploom.SharedCell(("C", 0)), "C": ploom.SharedCell(("", 0))}
    one, other = ploom.SharedCell(""), ploom.SharedCell("")

    def get() -> Any:
        with lock:
            return top.read()

    def compare_and_set(old: Any, new: Any) -> bool:
        with lock:
            if top.read() != old:
                return False
            top.write(new)
            return True

    def pop() -> Any:
        while True:
            node = get()
            if compare_and_set(node, below[node[0]].read()):
                return node

    def quick() -> None:
        node = pop()
        other.write(pop()[0])
        pushed = (node[0], node[1] + fixed)
        while True:
            old = get()
            below[node[0]].write(old)
            if compare_and_set(old, pushed):
                return

    _together(ploom, lambda: one.write(pop()[0]), quick)
    found, node = [one.read(), other.read()], top.read()
    while node[0]:
        found.append(node[0])
        node = below[node[0]].read()
    assert sorted(found) == ["A", "B", "C"]


def lock_order(ploom: Any, fixed: bool) -> None:
    """Three philosophers."""
    forks = [ploom.Lock() for _ in range(3)]

    def dine(seat: int) -> None:
        pair = [seat, (seat + 1) % 3]
        first, second = sorted(pair) if fixed else pair
        with forks[first], forks[second]:
            pass

    _together(ploom, *(lambda seat=seat: dine(seat) for seat in range(3)))


def _together(ploom: Any, *bodies: Any) -> None:
    threads = [ploom.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
