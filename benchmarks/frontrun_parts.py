"""The races as frontrun wants them: a setup, workers and an invariant, from the functions of the same files."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any


def lost_update(module: ModuleType) -> dict[str, Any]:
    """Two visits."""

    def setup() -> ModuleType:
        vars(module)["visitors"] = 0
        return module

    return {"setup": setup, "workers": [lambda it: it.visit()] * 2, "invariant": lambda it: it.visitors == 2}


def check_then_act(module: ModuleType) -> dict[str, Any]:
    """Two withdrawals."""
    return {
        "setup": lambda: module.Account(100),
        "workers": [lambda account: account.withdraw(80)] * 2,
        "invariant": lambda account: account.balance == 20,
    }


def double_close(module: ModuleType) -> dict[str, Any]:
    """Two who close one connection."""
    return {
        "setup": lambda: module.Connection(module.Pool()),
        "workers": [lambda connection: connection.close()] * 2,
        "invariant": lambda connection: connection._pool.free == 1,
    }


def missed_notify(module: ModuleType) -> dict[str, Any]:
    """One who waits and one who opens."""
    return {
        "setup": module.Gate,
        "workers": [lambda gate: gate.pass_through(), lambda gate: gate.throw_open()],
        "invariant": lambda gate: True,
    }


def unsafe_publication(module: ModuleType) -> dict[str, Any]:
    """Two who connect."""
    return {"setup": module.Server, "workers": [module.connect] * 2, "invariant": lambda server: True}


PARTS: dict[str, Callable[[ModuleType], dict[str, Any]]] = {
    "lost_update": lost_update,
    "check_then_act": check_then_act,
    "double_close": double_close,
    "missed_notify": missed_notify,
    "unsafe_publication": unsafe_publication,
}
