"""The races as frontrun wants them: a setup, workers and an invariant, from the classes of the same files.

`fresh` executes the file anew, so that its locks are made where frontrun can see it.
"""

import threading
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    type Fresh = Callable[[], ModuleType]


def lost_update(fresh: Fresh) -> dict[str, Any]:
    """Two visits."""
    return {"setup": fresh, "workers": [lambda it: it.visit()] * 2, "invariant": lambda it: it.visitors == 2}


def check_then_act(fresh: Fresh) -> dict[str, Any]:
    """Two withdrawals."""
    return {
        "setup": lambda: fresh().Account(100),
        "workers": [lambda account: account.withdraw(80)] * 2,
        "invariant": lambda account: account.balance == 20,
    }


def double_close(fresh: Fresh) -> dict[str, Any]:
    """Two that close one connection."""

    def setup() -> Any:
        module = fresh()
        return module.Connection(module.Pool())

    return {
        "setup": setup,
        "workers": [lambda connection: connection.close()] * 2,
        "invariant": lambda connection: connection._pool.free == 1,
    }


def missed_notify(fresh: Fresh) -> dict[str, Any]:
    """One that waits and one that opens."""
    return {
        "setup": lambda: fresh().Gate(),
        "workers": [lambda gate: gate.pass_through(), lambda gate: gate.throw_open()],
        "invariant": lambda gate: True,
    }


def unsafe_publication(fresh: Fresh) -> dict[str, Any]:
    """Two that use the settings; one that finds settings without a port tells of it."""

    def setup() -> Any:
        return fresh().Server(), []

    def connect(both: Any) -> None:
        server, missing = both
        try:
            server.settings().port  # noqa: B018 - that it is read is what is tested
        except AttributeError:
            missing.append("port")

    return {"setup": setup, "workers": [connect] * 2, "invariant": lambda both: both[1] == []}


def lock_order(fresh: Fresh) -> dict[str, Any]:
    """Three philosophers."""

    def setup() -> Any:
        module = fresh()
        forks = [threading.Lock() for _ in range(3)]
        pairs = [(forks[seat], forks[(seat + 1) % 3]) for seat in range(3)]
        if module.__name__.endswith("fixed"):
            pairs[2] = pairs[2][::-1]
        return module, pairs, []

    def dine(seat: int, table: Any) -> None:
        module, pairs, eaten = table
        module.dine(*pairs[seat], eaten)

    return {
        "setup": setup,
        "workers": [partial(dine, seat) for seat in range(3)],
        "invariant": lambda table: len(table[2]) == 3,
    }


def barrier_reuse(fresh: Fresh) -> dict[str, Any]:
    """Two that go through two phases."""

    def setup() -> Any:
        module = fresh()
        return module, module.Barrier(2), []

    return {
        "setup": setup,
        "workers": [lambda both: both[0].work(both[1], both[2])] * 2,
        "invariant": lambda both: both[2] == [0, 0, 1, 1],
    }


def aba(fresh: Fresh) -> dict[str, Any]:
    """One that pops slowly, and one that pops twice and pushes."""

    def setup() -> Any:
        module = fresh()
        return module, module.Stack("C", "B", "A"), [], []

    def is_whole(all_of_it: Any) -> bool:
        _, stack, one, other = all_of_it
        found, node = one + other, stack.top.get()
        while node is not None:
            found.append(node.name)
            node = node.below
        return sorted(found) == ["A", "B", "C"]

    return {
        "setup": setup,
        "workers": [lambda it: it[0].slow(it[1], it[2]), lambda it: it[0].quick(it[1], it[3])],
        "invariant": is_whole,
    }


PARTS: dict[str, Callable[[Fresh], dict[str, Any]]] = {
    "aba": aba,
    "barrier_reuse": barrier_reuse,
    "lost_update": lost_update,
    "lock_order": lock_order,
    "check_then_act": check_then_act,
    "double_close": double_close,
    "missed_notify": missed_notify,
    "unsafe_publication": unsafe_publication,
}
