"""The bank of `examples/paradigms`: what a transfer costs in each of the five programs."""

import sys
from importlib import import_module
from time import perf_counter
from typing import Any

from benchmarks.calls import Took, not_without
from benchmarks.interpreters import ROOT
from concmodels import load

NAMES = tuple("abcdefgh")
BALANCE = 1_000_000
"""So much that no transfer is refused."""


def transfers(paradigm: str, model: str, tellers: int, orders: int, with_start: bool) -> Took:
    """Return the seconds of `tellers` tasks with `orders` each, but one, without those of a run with one order each.

    That run, whose length is the figure `start_s`, has what all transfers together need only once: the start of the
    tasks, and an audit. With `with_start` it counts: for few transfers, which may take no longer than it differs.
    """
    not_without(model)
    folder = str(ROOT / "examples" / "paradigms")
    if folder not in sys.path:
        sys.path.append(folder)
    program = import_module(f"bank_{paradigm}")
    least = one_run(program, model, tellers, 1)
    took = one_run(program, model, tellers, orders) - (0 if with_start else least)
    if took <= 0:
        raise RuntimeError("the run with more transfers was shorter: this machine is too busy, or these are too few")
    return took, {"start_s": least}


def one_run(program: Any, model: str, tellers: int, orders: int) -> float:
    """Return the seconds of a run, from its begin to its end; half of the tellers pay the other way round."""
    loaded = load(model)
    given = [[order_of(teller, number) for number in range(orders)] for teller in range(tellers)]
    begin = perf_counter()
    balances, refused = loaded.run(program.main, loaded, dict.fromkeys(NAMES, BALANCE), given)
    took = perf_counter() - begin
    if refused or sum(balances.values()) != BALANCE * len(NAMES):
        raise RuntimeError(f"the bank has {balances}, and {refused} transfers were refused")
    return took


def order_of(teller: int, number: int) -> tuple[str, str, int]:
    """Return one transfer: of one unit, between two neighbours."""
    one, other = NAMES[(teller + number) % len(NAMES)], NAMES[(teller + number + 1) % len(NAMES)]
    return (other, one, 1) if teller % 2 else (one, other, 1)
