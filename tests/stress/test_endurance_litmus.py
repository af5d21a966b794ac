"""Five million hand-overs through the shared ring, between two who fall asleep all the time: no wake-up is lost."""

import math
import time

import pytest
from endurance import litmus

pytestmark = [pytest.mark.stress, pytest.mark.timeout(900)]

ROUNDS = {
    # 2 hand-overs a round, 1 a message: 5 million in all for each of these
    "processes": {("table_tennis", math.inf): 800_000, ("table_tennis", 1): 700_000, ("table_tennis", 0): 250_000,
                  ("narrow_stream", 1): 1_000_000, ("narrow_stream", 0): 500_000},
    "subinterp": {("table_tennis", math.inf): 800_000, ("table_tennis", 1): 700_000, ("table_tennis", 0): 250_000,
                  ("narrow_stream", 1): 1_000_000, ("narrow_stream", 0): 500_000},
}  # fmt: skip


@pytest.mark.parametrize("capacity", [math.inf, 1, 0])
@pytest.mark.parametrize("program", ["table_tennis", "narrow_stream"])
def test_no_wake_up_is_lost(model, program, capacity, capsys):
    rounds = ROUNDS.get(model.name, {}).get((program, capacity))
    if rounds is None:
        pytest.skip("not one of those that sleep and wake across the shared memory, or the same as another one")
    began = time.monotonic()
    done = model.verbs.run(getattr(litmus, program), model.verbs, capacity, rounds)
    took = time.monotonic() - began
    with capsys.disabled():
        print(f" {done:,} hand-overs in {took:.0f} s: {took / done * 1e6:.1f} us each ", end="")
