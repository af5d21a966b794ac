"""The programs of the front page, the trade-offs and the articles end well, and show what their pages say of them.

What they print is on the site: `make test-docs` runs these.
"""

import sys

import interruptible
import pytest
from site_runs import ROOT, ran

from concmodels import catalog

pytestmark = pytest.mark.docs

PROGRAMS = sorted(
    path for folder in ("trade_offs", "articles", "front_page") for path in (ROOT / "examples" / folder).glob("*.py")
)
ARGUMENTS = {"ring_2010": ["100"]}
SAID = {
    "async_with": ["before: 20 inside of `async with`: 100"],
    "awaited": ["0\n1\n2\n"],
    "cancelled_future": ["handed it over: the only one", "got: CancelledError"],
    "far_away": ["ZeroDivisionError with a note", "In task 'the divider'", "return a / b"],
    "gil_let_go": ["in_python            : the other thread went on"],
    "greedy": [
        "asyncio.Queue by itself: 2000 of 2000",
        "the model asyncio:        255 of",
        "the model greenlet:       255 of",
    ],
    "late": [
        "greenlet   1",
        "threads    1",
        "subinterp  1",
        "processes  1",
        "threads    2",
        "threads    4",
        "threads    8",
    ],
    "order_of_cancellation": ["in the order of their start: False"],
    "queue_shutdown": [
        "shutdown(): ['tea', 'milk']",
        "shutdown(immediate=True): []",
        "queue.Queue: has shutdown",
        "asyncio.Queue: has shutdown",
        "queue.SimpleQueue: has no",
        "multiprocessing.Queue: has no",
    ],
    "ring_2010": ["100 messages through 300 tasklets, in order"],
    "send_a_recipe": ["the word stands"],
    "stackless_channel": ["sending one\n   received one\nsending two", "sending one\nsending two\n   received one"],
    "stackless_generators": ["1 2 3 4 5", "the same leaves: True"],
    "sync": ["0\n1\n2\n"],
    "standing_still": ["closed loop, one user:", "later than 0.1 s; P99 0.0", "open loop, 500 requests/s:"],
    "stubborn": ["first wait: cancelled", "second wait: cancelled", "third wait: cancelled"],
    "stubborn_async": ["first wait: cancelled", "second wait: undisturbed", "third wait: undisturbed"],
    "stuck": ["Ann: receive on channel 'milk'", "Bob: receive on channel 'tea'"],
    "stuck_async": ["Ann: receive on channel 'milk'", "Bob: receive on channel 'tea'"],
    "wait_inside_sorted": [
        "threads   ['b', 'c', 'a']",
        "greenlet  ['b', 'c', 'a']",
        "instances of 'coroutine' and 'coroutine'",
    ],
    "wait_on_what": ["waits-1 ended at once", "waits_elsewhere-2 ended when", "computes-3 ended when"],
    "what_may_cross": ["a lambda", "refused", "a copy", "another handle"],
    "who_is_seen": ["threads   stacks in a thread dump: 6", "greenlet  stacks in a thread dump: 1", "tasks: 6"],
    "whose_turn": ["the other one had its turn"],
    "whose_turn_async": ["nobody had a turn"],
}


def printed(program):
    done = ran(program, *ARGUMENTS.get(program.stem, []))
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_it_shows_what_its_page_says(program):
    needed = [name for name in catalog.names() if f'"{name}"' in program.read_text()]
    for name in needed:
        if reason := catalog.why_not(name):
            pytest.skip(f"{name}: {reason}")
    said = printed(program)
    assert [text for text in SAID[program.stem] if text not in said] == []


@pytest.mark.parametrize("name", catalog.names())
def test_the_six_lines_of_the_front_page_run_on_every_model(name, tmp_path):
    if reason := catalog.why_not(name):
        pytest.skip(f"{name}: {reason}")
    file, model = ("awaited", "trio") if catalog.facts(name).is_async else ("sync", "threads")
    program = tmp_path / "program.py"
    program.write_text((ROOT / f"examples/front_page/{file}.py").read_text().replace(model, name))
    done = interruptible.run([sys.executable, program], cwd=ROOT, timeout=50)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n1\n2\n", "")


def test_what_may_cross_is_the_same_as_always():
    lines = printed(ROOT / "examples" / "trade_offs" / "what_may_cross.py").splitlines()
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if line.startswith("│")]
    answers = {name: tuple(rest) for name, *rest in cells}
    assert {answer[0] for answer in answers.values()} == {"the same object"}
    assert all(processes == interpreters for _, processes, interpreters in answers.values())
    refused = {name for name, answer in answers.items() if answer[1] == "refused"}
    assert refused == {"a lambda", "a generator", "a memoryview", "an open file", "a lock", "a module"}
