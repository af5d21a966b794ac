"""The races as frontrun wants them: a setup, workers and an invariant, from the classes of the same files.

`fresh` executes the file anew, so that its locks are made where frontrun can see it.
"""

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
    """Two that use the settings; a settings object without a port is an error of theirs."""
    return {
        "setup": lambda: fresh().Server(),
        "workers": [lambda server: server.settings().port] * 2,
        "invariant": lambda server: True,
    }


PARTS: dict[str, Callable[[Fresh], dict[str, Any]]] = {
    "lost_update": lost_update,
    "check_then_act": check_then_act,
    "double_close": double_close,
    "missed_notify": missed_notify,
    "unsafe_publication": unsafe_publication,
}
