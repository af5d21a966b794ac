"""Ten million messages through every way that a model has of carrying them: none lost, doubled or overtaken."""

import math
import sys
import time

import pytest
from endurance import plain, texts

pytestmark = [pytest.mark.stress, pytest.mark.timeout(900)]

MESSAGES = 10_000_000
QUICK_SWITCHES_S = 1e-6
FEWER = {
    # A sender that finds the channel full naps 0.1 ms, a receiver that finds it empty too: 64 messages per nap or so.
    ("rawthreads:polling", 64): 3_000_000,
}
"""How many, by model and capacity, where ten million would take very much longer than elsewhere."""


@pytest.fixture(params=[None, QUICK_SWITCHES_S], ids=["", "quick"])
def switching(request):
    """Once as usual, and once with threads that take turns as often as they can."""
    usual = sys.getswitchinterval()
    if request.param is not None:
        sys.setswitchinterval(request.param)
    yield request.param
    sys.setswitchinterval(usual)


def skip_needless(model, switching):
    """Who takes turns by itself, or has an interpreter or process per task, does not care how long a turn is."""
    if switching and (not model.facts.preemptive or model.facts.family == "boundary"):
        pytest.skip(f"the tasks of {model.name} do not take turns in one interpreter")


@pytest.mark.parametrize("capacity", [math.inf, 64])
@pytest.mark.parametrize("program", ["stream", "crowd"])
def test_ten_million_messages(model, program, capacity, switching, capsys):
    skip_needless(model, switching)
    tasks = texts if model.facts.is_async else plain
    messages = FEWER.get((model.name, capacity), MESSAGES)
    began = time.monotonic()
    came = model.verbs.run(getattr(tasks, program), model.verbs, capacity, messages)
    took = time.monotonic() - began
    assert messages - texts.SENDERS < came <= messages
    with capsys.disabled():
        print(f" {came:,} messages in {took:.1f} s: {came / took / 1e6:.2f} million a second ", end="")
