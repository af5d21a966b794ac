"""SIGTERM and SIGHUP end a program as Ctrl-C does: in order, with the status that shells expect, and nothing is left.

They are sent to the program alone or to its whole group of processes, as `kill`, `timeout`, and a terminal that is
closed do it; and at any moment.
"""

import json
import os
import pty
import random
import signal
import sys
import time
import uuid

import pytest
from commands import ENDS_WITHIN_S, FOREVER, NAMES, Program, skip_unless_here, until
from endurance.programs import seen_by
from interruptible import until_its_main_thread_waits
from kinds import KINDS, in_turn, is_one_more, kind, one_of_each_kind
from platforms import linux_files

from concmodels import catalog

STATUS = {signal.SIGTERM: 143, signal.SIGHUP: 129}
TARGETS = {"main": os.kill, "group": os.killpg}
PROGRAMS = {
    "ring": ("concmodels.ring", 4, FOREVER, "--in-flight", 3),
    "short ring": ("concmodels.ring", 4, 500, "--in-flight", 3),
    "channel": ("concmodels.channel", FOREVER, "--capacity", 64),
    "pool": ("concmodels.pool", FOREVER, "--work", "nothing"),
}
WAYS = [(signum, target) for signum in STATUS for target in TARGETS]
STUBBORN = ["threads", "rawthreads", "subinterp"]


def end_by(folder, name, signum, target, after, what="ring"):
    """Send this signal that long after the program has begun; return its status and what its JSON file says."""
    module, *arguments = PROGRAMS[what]
    path = folder / f"{uuid.uuid4().hex}.json"
    with Program(folder, *arguments, "--model", name, "--json", path, module=module) as program:
        assert until(lambda: path.exists() or None)
        time.sleep(after)  # the random moment
        TARGETS[target](program.process.pid, signum)
        status, _, err = program.end(ENDS_WITHIN_S)
        assert not program.left(), f"left after {signum.name} to {target} at {after}"
    assert "Traceback" not in err and "Warning" not in err, f"{status} after {after}: {err}"
    (figures,) = json.loads(path.read_text())
    return status, figures["error"]


def ended(signum):
    """What `end_by` returns of a program that was not done before."""
    return STATUS[signum], f"ended by {signum.name}"


def ways(name, thorough):
    """All four; as a rule one, in turn: between them the kinds meet both signals and both targets."""
    return WAYS if thorough else [WAYS[KINDS.index(kind(name)) % len(WAYS)]]


@pytest.mark.parametrize("name", one_of_each_kind(NAMES))
def test_a_signal_ends_the_program(tmp_path, name, thorough):
    skip_unless_here(name)
    chosen = ways(name, thorough)
    part = 0.8 / len(chosen)
    for number, (signum, target) in enumerate(random.sample(chosen, len(chosen))):
        after = random.uniform(number * part, number * part + part)
        assert end_by(tmp_path, name, signum, target, after) == ended(signum), f"{target}, after {after} s"


@pytest.mark.parametrize(
    ("what", "signum"),
    [
        pytest.param(what, signum, id=f"{what}-{signum.name}", marks=[] if number == place else [pytest.mark.thorough])
        for place, what in enumerate(("channel", "pool"))
        for number, signum in enumerate(STATUS)
    ],
)
def test_the_other_programs(tmp_path, what, signum):
    """One with each signal; with `--thorough` both."""
    after = random.uniform(0, 0.8)
    assert end_by(tmp_path, "processes", signum, "group", after, what) == ended(signum), f"after {after} s"


@pytest.mark.stress
@pytest.mark.timeout(600)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("signum", STATUS, ids=lambda signum: signum.name)
@pytest.mark.parametrize("name", NAMES)
def test_many_signals(tmp_path, name, signum, target):
    skip_unless_here(name)
    for what in ("ring", "ring", "channel", "pool") * 3:
        after = random.uniform(0, 1.5)
        assert end_by(tmp_path, name, signum, target, after, what) == ended(signum), f"{what}, after {after} s"
    for _ in range(8):  # near the end: it may have been over before
        after = random.uniform(0, 0.6)
        assert end_by(tmp_path, name, signum, target, after, "short ring") in (ended(signum), (0, None)), after


def test_of_several_models_the_signal_is_passed_on_once(tmp_path):
    path = tmp_path / "f"
    models = ("--model", "threads", "--model", "greenlet")
    with Program(tmp_path, 4, FOREVER, "--in-flight", 3, *models, "--json", path) as program:
        until(lambda: len(program.alive()) >= 2 or None)
        program.process.terminate()
        status, _, err = program.end(ENDS_WITHIN_S)
        assert not program.left()
    assert status == 143
    assert err == "concmodels.ring: threads: ended by SIGTERM\n"
    assert [it["error"] for it in json.loads(path.read_text())] == ["ended by SIGTERM"]


ATTACHED = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"


@pytest.mark.parametrize("name", [pytest.param("threads", marks=pytest.mark.thorough), "processes", "asyncio"])
def test_a_terminal_that_is_closed(tmp_path, name):
    ours, theirs = pty.openpty()
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
    prefix, options = (sys.executable, "-c", ATTACHED), {"env": {"TERM": "xterm-256color"}, **streams}
    arguments = (4, FOREVER, "--in-flight", 3, "--model", name, "--json", tmp_path / "f")
    with Program(tmp_path, *arguments, prefix=prefix, **options) as program:
        os.close(theirs)
        assert until(lambda: (tmp_path / "f").exists() or None)  # before that, the signal is for Python's own start
        time.sleep(random.uniform(0.5, 1.5))  # with or without a bar
        os.close(ours)  # from now on it can't write any more, and the kernel tells the whole group
        assert program.end(ENDS_WITHIN_S)[0] == 129
        assert not program.left()


# A program of one's own.

SCRIPT = """
import os, signal, sys, time
from concmodels import load
from concmodels.errors import Terminated


def receive(channel):
    for _ in channel:
        pass


def compute(channel):
    channel.send(1)
    while True:
        pass


def tidies_up(model):
    with model.TaskGroup() as group:
        group.spawn(receive, model.Channel(1))
        try:
            print("ready", flush=True)
            model.sleep(3600)
        finally:
            print("tidies up", flush=True)
            time.sleep(0.3)
            print("tidied up", flush=True)


def catches(model):
    try:
        tidies_up(model)
    except Terminated as error:
        print(error, error.signum, error.code, flush=True)


def stubborn(model):
    channel = model.Channel(1)
    with model.TaskGroup() as group:
        group.spawn(compute, channel, name="stubborn")
        channel.receive()
        print("ready", flush=True)
        model.sleep(3600)


def taken_by_c(model):
    os.kill(os.getpid(), signal.SIGTERM)
    model.sleep(0.5)
    print("went on", flush=True)


async def on_the_loop(model):
    import asyncio  # only here: it takes longer than Python's own start
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, print, "handled")
    signal.raise_signal(signal.SIGTERM)
    await model.sleep(0.05)
    assert callable(signal.getsignal(signal.SIGTERM))


def ignores(model):
    signal.raise_signal(signal.SIGHUP)
    model.sleep(0.05)
    print("went on", flush=True)


if __name__ == "__main__":
    if sys.argv[3:] == ["slow"]:  # so is the machine: what comes after a second may be the same request
        from concmodels.models.tasks.signals import guard
        guard._ONCE_S = 3600
    if sys.argv[2] == "taken_by_c":
        import gevent
        watcher = gevent.signal_handler(signal.SIGTERM, print, "handled")
    if sys.argv[2] == "ignores":
        signal.signal(signal.SIGHUP, getattr(signal, sys.argv[3], lambda *_: print("handled")))
    model = load(sys.argv[1])
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGHUP)
    try:
        model.run(globals()[sys.argv[2]], model)
    finally:
        assert before == (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGHUP))
    print("the end")
"""

TIDIED_UP = "tidies up\ntidied up\n"
IGNORED_OR_HANDLED = [("SIG_IGN", ""), ("own", "handled\n")]
SYNC = [name for name in catalog.names() if not catalog.facts(name).is_async]


@pytest.fixture
def script(tmp_path):
    """Starts the program above with these arguments, and waits until it is ready."""
    (tmp_path / "script.py").write_text(SCRIPT)

    def start(name, *arguments):
        skip_unless_here(name)
        program = Program(tmp_path, name, *arguments, module="script", env={"PYTHONPATH": str(tmp_path)})
        if arguments[0] not in ("ignores", "taken_by_c", "on_the_loop"):
            assert program.process.stdout.readline() == "ready\n", program.process.stderr.read()
        return program

    return start


@pytest.mark.parametrize(("name", "way"), in_turn(SYNC, WAYS, first=1))
def test_what_is_not_caught_is_the_status_and_no_traceback(script, name, way):
    signum, target = way
    with script(name, "tidies_up") as program:
        TARGETS[target](program.process.pid, signum)
        assert program.end(ENDS_WITHIN_S) == (STATUS[signum], TIDIED_UP, "")
        assert not program.left()


@pytest.mark.parametrize("name", ["threads", "processes", "gevent"])
def test_it_can_be_caught(script, name):
    with script(name, "catches") as program:
        program.process.terminate()
        assert program.end(ENDS_WITHIN_S) == (0, TIDIED_UP + "ended by SIGTERM 15 143\nthe end\n", "")


@pytest.mark.parametrize("name", one_of_each_kind(SYNC, first=2))
def test_signals_at_once_are_one_request(script, name):
    """As `timeout` sends them, to the program and to its group; and shells, when their terminal is closed."""
    with script(name, "tidies_up", "slow") as program:
        program.process.terminate()
        os.killpg(program.process.pid, signal.SIGTERM)
        assert program.process.stdout.readline() == "tidies up\n"
        os.killpg(program.process.pid, signal.SIGHUP)
        assert program.end(ENDS_WITHIN_S) == (143, "tidied up\n", "")
        assert not program.left()


@pytest.mark.parametrize("name", one_of_each_kind(STUBBORN, of=["threads"]))
def test_a_later_one_gives_up(script, name):
    with script(name, "stubborn") as program:
        program.process.terminate()
        until_its_main_thread_waits(program.process)  # for the task
        time.sleep(1.2)  # what comes earlier is the same request to end
        assert program.process.poll() is None
        program.process.terminate()
        status, _, err = program.end(ENDS_WITHIN_S)
        assert status == 143
        assert err == "\ninterrupted again during the clean-up; still running: stubborn\n"
        assert not program.left()


@pytest.mark.parametrize(("name", "way"), in_turn(["threads", "processes", "gevent"], IGNORED_OR_HANDLED))
def test_who_ignores_or_handles_a_signal_goes_on_doing_so(script, name, way):
    how, out = way
    with script(name, "ignores", how) as program:
        assert program.end(ENDS_WITHIN_S) == (0, f"{out}went on\nthe end\n", "")


@linux_files
@pytest.mark.parametrize(("name", "what"), [("gevent", "taken_by_c"), ("asyncio", "on_the_loop")])
def test_a_handler_of_the_loop_is_one_too(script, name, what):
    with script(name, what) as program:
        status, out, err = program.end(ENDS_WITHIN_S)
        assert (status, err) == (0, "")
        assert out == ("handled\nwent on\nthe end\n" if name == "gevent" else "handled\nthe end\n")


def test_nohup(tmp_path):
    path = tmp_path / "f"
    with Program(tmp_path, 4, 3000, "--model", "processes", "--json", path, prefix=("nohup",)) as program:
        assert until(lambda: path.exists() or None)  # before that, the signal may be for what is not yet `nohup`
        time.sleep(random.uniform(0, 0.5))
        os.killpg(program.process.pid, signal.SIGHUP)
        status, out, _ = program.end(ENDS_WITHIN_S)
        assert (status, "verified" in out) == (0, True)


# In the middle of channel loops, and while main waits: `endurance/interrupted.py`.


@pytest.mark.thorough(when=is_one_more)
def test_channel_loops_are_ended_where_nothing_is_half_done(model, thorough):
    what = "receive" if model.facts.family == "boundary" else "loops"
    runs = 20 if thorough else 6
    assert seen_by("interrupted", model.name, what, runs, 0, "SIGTERM")["runs"] == runs + 1


# The children of a run leave all signals to their parent.

CHILDREN = """
import os, signal, subprocess, sys
from concmodels import load


def strike(done):
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(os.getpid(), signum)
        sum(range(100_000))  # where the signal would raise if it were sent again
    done.send(subprocess.run(["sh", "-c", "kill -HUP $$; kill -TERM $$"]).returncode)


def main(model):
    done = model.Channel(1)
    with model.TaskGroup() as group:
        group.spawn(strike, done)
        print(done.receive())


if __name__ == "__main__":
    model = load(sys.argv[1])
    model.run(main, model)
"""


@pytest.mark.parametrize("name", ["processes", "processes:spawn", "processes:fork"])
def test_a_child_goes_on_and_what_it_starts_hears_signals_as_usual(tmp_path, name):
    (tmp_path / "children.py").write_text(CHILDREN)
    with Program(tmp_path, name, module="children", env={"PYTHONPATH": str(tmp_path)}) as program:
        assert program.end(ENDS_WITHIN_S) == (0, f"{-signal.SIGHUP}\n", "")


def test_a_program_that_has_started_the_servers_of_multiprocessing_itself(tmp_path):
    """They were not made to outlive SIGHUP; the run removes what it has made nevertheless."""
    (tmp_path / "own.py").write_text(
        "from multiprocessing import resource_tracker; resource_tracker.ensure_running()\n" + SCRIPT
    )
    arguments = ("subinterp", "tidies_up")
    with Program(tmp_path, *arguments, module="own", env={"PYTHONPATH": str(tmp_path)}) as program:
        assert program.process.stdout.readline() == "ready\n"
        os.killpg(program.process.pid, signal.SIGHUP)
        assert program.end(ENDS_WITHIN_S) == (129, TIDIED_UP, "")
        assert not program.left()


LOST = """
import signal, weakref
from concmodels.errors import Terminated
from concmodels.models.tasks.signals.handlers import terminate


class Thing:
    pass


# At the end of an import a callback like this is called. What is raised in it is printed, and lost.
callback = {"__name__": "importlib._bootstrap", "raise_signal": signal.raise_signal}
exec("def called(_): raise_signal(15)", callback)
signal.signal(signal.SIGTERM, terminate)
try:
    thing = Thing()
    reference = weakref.ref(thing, callback["called"])
    del thing
    while True:
        pass
except Terminated as error:
    print(error)
"""


def test_a_signal_is_not_lost_in_a_finalizer(tmp_path):
    (tmp_path / "lost.py").write_text(LOST)
    with Program(tmp_path, module="lost", env={"PYTHONPATH": str(tmp_path)}) as program:
        assert program.end(ENDS_WITHIN_S) == (0, "ended by SIGTERM\n", "")


def drops_a_generator():
    def generator():
        try:
            yield
        finally:
            signal.raise_signal(signal.SIGINT)

    it = generator()
    next(it)
    del it  # what is raised in its `finally` is handed to `sys.unraisablehook`


@pytest.mark.parametrize("name", [*catalog.names(), "anyio:trio"])
def test_an_interrupt_that_python_drops_is_raised_again(name):
    skip_unless_here(name)
    model, hook = catalog.load(name), sys.unraisablehook

    async def awaits():
        drops_a_generator()
        await model.sleep(3600)

    def waits():
        drops_a_generator()
        model.sleep(3600)

    with pytest.raises(KeyboardInterrupt):
        model.run(awaits if catalog.facts(name).is_async else waits)
    assert sys.unraisablehook is hook
