"""A run in which nobody can go on ends with `Deadlock`, which says who waits for what and where.

The programs are in `scripts/stuck.py`. A deadlock is never found beside a thread that the run did not start, so these
tests have no timeout of their own (it would be such a thread): the net below them is the one in C.
"""

import math
import pickle
import signal
import sys
import time

import pytest
from interruptible import popen
from kinds import KINDS
from stuck import MODELS, PATH, SOON, be_alone, line, model_of, programs, text_of

from concmodels import catalog
from concmodels.errors import Deadlock

pytestmark = [pytest.mark.timeout(0), pytest.mark.usefixtures("by_ourselves")]

AT_ONCE = ("greenlet", "tasklets", "gevent")

LINES = {
    "circle": (
        "main: waits for the end of its group at {circle}",
        "left: receive on channel 'a' at {passing on}",
        "right: receive on channel 'b' at {passing on}",
    ),
    "full": ("main: waits for the end of its group at {full}", "sender: send on channel 'full' at {sending}"),
    "never_closed": (
        "main: receive on a channel without a name at {never closed}",
        "reader: receive on channel 'endless' at {iterating}",
    ),
    "choice": (
        "main: waits for the end of its group at {choice}",
        "chooser: select of receive on channel 'one', send on channel 'two' at {choosing}",
    ),
    "results": (
        "main: waits for the end of its group at {results}",
        "first: waits for the result of second at {asking}",
        "second: waits for the result of first at {asking}",
    ),
    "alone": ("main: send on channel 'nobody' at {alone}",),
    "nested": (
        "main: waits for the end of its group at {nested}",
        "owner: waits for the end of its group at {inner}",
        "grandchild: receive on channel 'deep' at {receiving}",
    ),
}


@pytest.fixture
def by_ourselves(monkeypatch):
    """No thread of an earlier test is left; paths are short."""
    monkeypatch.chdir(PATH.parent)
    be_alone()


@pytest.fixture
def deadlock():
    """Run a program that must end in a deadlock, and return that."""

    def find(name, program, **options):
        model = model_of(name)
        with pytest.raises(Deadlock) as caught:
            model.run(getattr(programs(name), program), model, **({"deadlock_after": SOON} | options))
        return caught.value

    return find


def with_numbers(text):
    """Put the numbers of the lines in."""
    head, brace, comment = text.partition("{")
    return f"{head}{PATH.name}:{line(comment[:-1])}" if brace else text


@pytest.mark.parametrize("program", LINES)
@pytest.mark.parametrize("name", MODELS)
def test_who_waits_for_what_and_where(deadlock, name, program):
    found = deadlock(name, program)
    assert set(found.waits) == {with_numbers(text) for text in LINES[program]}
    assert found.waits[0].startswith("main: ")
    assert str(found) == f"{found.args[0]}:\n  " + "\n  ".join(found.waits)
    assert found.__cause__ is None


@pytest.mark.thorough(when=lambda params: params["name"] not in catalog.names())
@pytest.mark.parametrize("name", MODELS)
def test_a_long_list_is_complete_and_its_message_short(deadlock, name):
    found = deadlock(name, "many")
    at = with_numbers("at {receiving}")
    assert found.waits[1:] == tuple(f"node-{number}: receive on channel 'c{number}' {at}" for number in range(300))
    assert str(found).count("\n") == 21 and str(found).endswith("\n  … and 281 more")


def test_it_travels():
    again = pickle.loads(pickle.dumps(Deadlock("nobody goes on", ("main: waits",))))
    assert (again.args, again.waits) == (("nobody goes on",), ("main: waits",))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("program", ["swallows", "waits_in_clean_up", "main_waits_in_clean_up"])
def test_it_ends_the_run_whatever_the_tasks_make_of_it(deadlock, name, program):
    assert deadlock(name, program).__cause__ is None


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("program", ["fails_in_clean_up", "main_fails_in_clean_up"])
def test_what_fails_in_the_clean_up_is_its_cause(deadlock, name, program):
    cause = deadlock(name, program).__cause__
    (error,) = cause.exceptions if isinstance(cause, ExceptionGroup) else (cause,)
    assert type(error) is OSError and str(error) == "the disk is full"


@pytest.mark.parametrize("name", MODELS)
def test_after_a_deadlock_the_model_runs_again(deadlock, name):
    deadlock(name, "circle")
    assert model_of(name).run(programs(name).sleeper, model_of(name), 0) == "help"


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("wrong", [-1, math.nan, "soon", True])
def test_what_is_no_number_of_seconds(name, wrong):
    model = model_of(name)
    with pytest.raises(ValueError, match="deadlock_after is a number of seconds from 0, or None for never"):
        model.run(programs(name).alone, model, deadlock_after=wrong)


@pytest.mark.parametrize("name", ["threads", "asyncio"])
def test_a_second_is_the_default(deadlock, name):
    began = time.monotonic()
    with pytest.raises(Deadlock):
        model_of(name).run(programs(name).alone, model_of(name))
    assert time.monotonic() - began >= 1


@pytest.mark.parametrize("name", AT_ONCE)
def test_who_owns_the_scheduler_knows_at_once(deadlock, name):
    deadlock(name, "circle", deadlock_after=3600)


# Switched off

FOR_EVER = """
from concmodels import load
model = load({name!r})
print("ready", flush=True)
try:
    model.run(circle, model, deadlock_after=None)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_switched_off_it_waits_until_ctrl_c(thorough):
    available = [name for name in MODELS if catalog.why_not(name) is None and (thorough or name in KINDS)]
    script = {name: text_of(catalog.facts(name).is_async) + FOR_EVER.format(name=name) for name in available}
    waiting = {name: popen([sys.executable, "-c", text]) for name, text in script.items()}
    for process in waiting.values():
        assert process.stdout.readline() == "ready\n"
    time.sleep(2)  # by default it takes less
    early = [name for name, process in waiting.items() if process.poll() is not None]
    for process in waiting.values():
        process.send_signal(signal.SIGINT)
    outputs = {name: process.communicate() for name, process in waiting.items()}
    assert not early
    assert outputs == dict.fromkeys(waiting, ("interrupted\n", ""))


@pytest.mark.parametrize("name", ["asyncio", "anyio"])
def test_a_wait_that_is_over_leaves_the_note_of_the_next_one(name):
    """A waiter that has timed out behind another one may stay in its queue: a sender that finds it there passes on."""
    model = catalog.load(name)

    async def wait_twice(early, late):
        with pytest.raises(TimeoutError):
            await early.receive(timeout=0.01)
        await late.receive()

    async def main():
        early, late = model.Channel(math.inf, "early"), model.Channel(math.inf, "late")
        async with model.TaskGroup() as group:
            group.spawn(wait_twice, early, late, name="twice")
            other = group.spawn(early.receive)
            await model.sleep(0.1)
            await early.send("for the other")
            await other.result()

    with pytest.raises(Deadlock) as caught:
        model.run(main, deadlock_after=0.2)
    assert any(it.startswith("twice: receive on channel 'late'") for it in caught.value.waits), caught.value.waits
