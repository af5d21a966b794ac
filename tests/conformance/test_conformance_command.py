"""Grading a model: the command as a student has it, the door for teachers, and what a hostile model can't do."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from pathlib import Path

import interruptible
import patient
import pytest
from in_process import called
from platforms import linux_files

import concmodels
from concmodels import load
from concmodels.conformance import Refused, grade
from concmodels.conformance.grading import candidate, values
from concmodels.course.catalogue import exercise
from concmodels.platform import measuring

ROOT = Path(concmodels.__file__).parent.parent
EXAMPLES = ROOT / "examples"
IN_A_HURRY = ("--patience", "1")
"""For what never ends; on a busy machine anything else may take longer than that too: see `patient`."""
BROKEN_BY_THE_MISTAKES = {
    # `if` where a `while` is due: a receiver who was woken for another's item finds nothing
    "delivery.each_item_reaches_one_receiver",
    "delivery.items_arrive_in_order",
    "delivery.no_receiver_is_overtaken_for_ever",
    # a `close` that throws away what was accepted
    "closing.a_close_without_receivers_keeps_what_was_accepted",
    "closing.a_send_that_races_a_close_has_one_of_two_outcomes",
    "closing.close_refuses_waiting_senders",
    "closing.iteration_ends",
    "delivery.a_receiver_that_waits_is_served_before_long",
    "closing.iteration_may_be_left_and_taken_up_again",
    "closing.what_was_accepted_stays_receivable",
    "timeouts.a_timeout_that_races_a_partner_is_exact",
    "waiting.len_counts_what_is_held",
}


def start(*arguments, **env):
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | env
    command = [sys.executable, "-m", "concmodels.conformance", *map(str, arguments)]
    return interruptible.popen(command, env=environment, cwd=ROOT)


def in_a_process(*arguments, **env):
    """What `run` does, in a process of its own."""
    process = start(*arguments, **env)
    out, err = process.communicate(timeout=200)
    return process.returncode, out, err


def run(*arguments):
    """Grade as the command does; what is graded has a process of its own anyway."""
    return called(*arguments, module="concmodels.conformance")


def graded(*arguments, run=run):
    status, out, err = run(*arguments, "--json", "-")
    assert err
    (report,) = json.loads(out)
    return status, report


def write(folder, text):
    path = folder / "my_model.py"
    path.write_text(text)
    return path


def verdicts(report, verdict):
    return {it["guarantee"] for it in report["outcomes"] if it["verdict"] == verdict}


# The two examples.


def test_the_first_model_is_short_and_keeps_what_it_guarantees(thorough):
    assert len((EXAMPLES / "my_first_model.py").read_text().splitlines()) < 60
    schedules = () if thorough else ("--explore", 1)
    status, report = graded(EXAMPLES / "my_first_model.py", *schedules, run=in_a_process)
    assert (status, verdicts(report, "broken")) == (0, set())
    assert report["kept"] > 30
    assert verdicts(report, "kept") > BROKEN_BY_THE_MISTAKES
    kept = Counter(name.partition(".")[0] for name in verdicts(report, "kept"))
    steps = exercise(20).steps  # of the course, which this model solves
    assert {chapter: kept[chapter] for chapter, _ in (it.suite for it in steps)} == dict(it.suite for it in steps)


@pytest.mark.timeout(200)
@pytest.mark.usefixtures("unexplained")
def test_the_mistakes_of_its_twin_are_found_and_named():
    status, out, err = run(EXAMPLES / "my_first_model_buggy.py")
    assert (status, err) == (1, "")
    failed = dict(re.findall(r"^failed +(\S+).*\n +guaranteed: (.*)", out, re.MULTILINE))
    assert failed.keys() == BROKEN_BY_THE_MISTAKES
    assert failed["closing.iteration_ends"] == (
        "After `close`, items that were accepted before can still be received by iteration, which then ends."
    )
    assert "`[item for item in channel]` was [], and should have been [0, 1, 2]" in out
    assert re.search(r"but.*TimeoutError \(my_first_model_buggy\.py, line \d+: raise ", out)
    assert f"({len(failed)} broken, " in out.splitlines()[-1]


# What a model may do, and what becomes of it.

LONE = """
import ctypes, os, time
class Channel:
    def __init__(self, capacity=0, name=None):
        print("the model prints")
    def send(self, item, timeout=None):
        {send}
    def receive(self, timeout=None):
        input()
"""


@pytest.mark.parametrize(
    "send, reason",
    [
        ("time.sleep(3600)", "did not end within 1 seconds (deadlock or endless loop?)"),
        ("ctypes.string_at(0)", "the program crashed Python: SIGSEGV"),
        ("os._exit(3)", "the program ended Python with status 3"),
        ("os.kill(os.getpid(), 9)", "the program crashed Python: SIGKILL"),
        ("os.write(1, bytes(10**8)) and time.sleep(3600)", "the program printed more than 64 MiB"),
        ("raise SystemExit('enough')", "SystemExit: enough (my_model.py, line 7: raise SystemExit('enough'))"),
        ("self.missing", "'Channel' object has no attribute 'missing' (my_model.py, line 7: self.missing)"),
        ("bytearray(1 << 60)", "MemoryError (my_model.py, line 7: bytearray(1 << 60))"),
        ("input()", "EOFError: EOF when reading a line (my_model.py, line 7: input())"),
    ],
)
def test_a_model_may_hang_and_crash(tmp_path, monkeypatch, send, reason):
    patient.wait_for_models(monkeypatch.setattr)
    model = write(tmp_path, LONE.format(send=send))
    hurry = IN_A_HURRY if send == "time.sleep(3600)" else ()
    status, out, err = run(model, "-k", "waiting.send_waits_while_full(capacity=1)", "--real", *hurry)
    assert (status, err) == (1, "")
    assert reason in out
    assert "guaranteed: `send` waits while the channel is full." in out
    assert out.splitlines()[-1] == "my_model.py: 0 of 1 guarantee kept (1 broken, 0 not guaranteed)"


DIES = """
import os
class Channel:
    def __init__(self, capacity=0, name=None): self.capacity, self.closed = capacity, False
    def send(self, item, timeout=None): pass
    def receive(self, timeout=None): pass
    def close(self):
        if self.capacity == 0: os._exit(3)
        self.closed = True
"""


def test_the_next_guarantee_gets_a_fresh_process(tmp_path):
    status, report = graded(write(tmp_path, DIES), "-k", "close_is_idempotent")
    found = [(it["values"], it["verdict"]) for it in report["outcomes"]]
    assert status == 1 and found == [(f"capacity={it}", "broken" if it == 0 else "kept") for it in (0, 1, 3, "inf")]


@linux_files
def test_a_grader_that_is_killed_leaves_no_process(tmp_path):
    hangs = tmp_path / "hangs"
    model = write(tmp_path, LONE.format(send=f"open({str(hangs)!r}, 'w').close(); time.sleep(3600)"))
    command = [sys.executable, "-m", "concmodels.conformance", str(model), "-k", "send_does_not_wait"]
    end = time.monotonic() + 50
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as grader:
        while not hangs.exists() and time.monotonic() < end:
            time.sleep(0.01)
        children = measuring.descendants(grader.pid)
        grader.kill()
    assert hangs.exists() and children
    while any(measuring.started(child) is not None for child in children):
        assert time.monotonic() < end, f"{children} outlived the grader"
        time.sleep(0.01)


def test_a_thread_that_is_left_breaks_the_guarantee_that_left_it(tmp_path):
    text = LONE.format(send="pass") + (
        "    closed = False\n"
        "    def close(self):\n"
        "        import threading\n"
        "        if not self.closed: threading.Thread(target=time.sleep, args=(3600,)).start()\n"
        "        self.closed = True\n"
    )
    (line,) = grade(write(tmp_path, text), only="close_is_idempotent(capacity=0)", schedules=0).broken
    assert line.outcomes[0].reason.startswith("left behind: thread ")


def test_what_a_model_prints_is_shown_only_on_demand(tmp_path):
    model = write(tmp_path, LONE.format(send="return timeout.missing"))
    arguments = (model, "-k", "send_does_not_wait")
    assert "the model prints" not in "".join(run(*arguments)[1:])
    shown = run(*arguments, "--traceback")[1]
    assert "the model prints" in shown and "Traceback (most recent call last)" in shown


def test_what_a_partial_model_lacks_is_not_guaranteed(tmp_path):
    model = write(
        tmp_path,
        "from queue import SimpleQueue\nclass Channel:\n"
        "    def __init__(self): self.queue = SimpleQueue()\n"
        "    def send(self, item): self.queue.put(item)\n"
        "    def receive(self): return self.queue.get()\n",
    )
    status, out, err = run(model, "--json", "-")
    (report,) = json.loads(out)
    assert (status, report["broken"]) == (0, 0)
    assert "This is hardly tested" in err
    assert "This is hardly tested" not in run(model, "-k", "nowait")[1]
    assert "delivery.one_to_one_is_a_stream" in verdicts(report, "kept")
    reasons = {it["reason"] for it in report["outcomes"] if it["verdict"] == "not guaranteed"}
    assert {"its Channel has no close", "its Channel has no len()", "its Channel.receive has no timeout"} <= reasons
    assert {f"my_model.py has no {it} of its own" for it in ("TaskGroup", "select", "Pool", "share")} <= reasons


POOL = """
from concurrent.futures import ThreadPoolExecutor
from concmodels.models.threads import Channel
class Pool:
    def __init__(self, workers): self.executor = ThreadPoolExecutor(workers)
    def submit(self, function, /, *args): return self.executor.submit(function, *args)
    def map(self, function, *iterables): return self.executor.map(function, *iterables)
    def __enter__(self): return self
    def __exit__(self, *_): self.executor.shutdown()
"""


def test_what_a_pool_of_ones_own_lacks_is_not_guaranteed(tmp_path):
    kept, reasons = set(), set()
    for some in ("pooling_map.map_", "pooling.a_pool", "pooling_ends.the_init"):
        status, report = graded(write(tmp_path, POOL), "-k", some)
        assert (status, verdicts(report, "broken")) == (0, set())
        kept |= verdicts(report, "kept")
        reasons |= {it["reason"] for it in report["outcomes"] if it["verdict"] == "not guaranteed"}
    assert {"pooling_map.map_keeps_the_order", "pooling.a_pool_has_at_least_one_worker"} <= kept
    assert {f"its Pool.map has no {it}" for it in ("buffersize", "chunksize", "timeout")} <= reasons
    assert {"its Pool has no workers", "its Pool has no initializer"} <= reasons


ASYNC = """
from concmodels.models.asyncio_ import Channel as Native
class Channel(Native):
    pass
"""


def test_an_async_model_is_lent_asyncio(tmp_path):
    status, report = graded(write(tmp_path, ASYNC), "-k", "waiting.")
    assert (status, report["broken"], report["not_guaranteed"]) == (0, 0, 0)


NEVER_CLOSED = """
from concmodels.models.{base} import Channel as Native
class Channel:
    def __init__(self, capacity=0, name=None): self.native = Native(capacity, name)
    {awaited}def send(self, item, timeout=None): {wait}self.native.send(item, timeout)
    {awaited}def receive(self, timeout=None): return {wait}self.native.receive(timeout)
    def close(self): self.native.close()
    def __len__(self): return "many"
    closed = False
"""


@pytest.mark.parametrize("base, awaited, wait", [("threads", "", ""), ("asyncio_", "async ", "await ")])
def test_a_broken_guarantee_says_what_was_seen_and_where(tmp_path, base, awaited, wait):
    model = write(tmp_path, NEVER_CLOSED.format(base=base, awaited=awaited, wait=wait))
    assert (
        "but (capacity=0; capacity=1; capacity=3; capacity=inf): `channel.closed` should be true\n"
        in (run(model, "-k", "close_is_idempotent")[1])
    )
    error = "TypeError: 'str' object cannot be interpreted as an integer"
    out = run(model, "-k", "waiting.len_counts_what_is_held(capacity=1)")[1]
    assert re.search(rf"{error} \(waiting\.py, line \d+: .*len\(channel\)", out)


WHOLE = """
from concmodels.models import threads
from concmodels.models.threads import *
class TaskGroup(threads.TaskGroup):
    pass
FACTS = {"raised_again": True}
"""


def test_who_has_a_group_of_his_own_guarantees_cancellation(tmp_path):
    status, report = graded(write(tmp_path, WHOLE), "-k", "cancellation.")
    assert (status, report["broken"]) == (0, 0)
    assert "cancellation.a_swallowed_cancellation" in verdicts(report, "kept")


# Models of the catalog, and the other options.


def test_a_model_of_the_catalog():
    status, out, err = run("threads", "asyncio", "-k", "closing.with_closes")
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "threads",
        "passed          closing.with_closes",
        "threads: 1 of 1 guarantee kept (0 broken, 0 not guaranteed)",
        "asyncio",
        "passed          closing.with_closes",
        "asyncio: 1 of 1 guarantee kept (0 broken, 0 not guaranteed)",
    ]


def test_a_boundary_model_leaves_nothing(tmp_path):
    status, out, _ = in_a_process("processes", "-k", "tasks.a_task_may_spawn", "--quiet", TMPDIR=str(tmp_path))
    assert (status, out) == (0, "processes: 1 of 1 guarantee kept (0 broken, 0 not guaranteed)\n")
    assert list(tmp_path.iterdir()) == []


def test_the_list_has_the_sentences():
    status, out, _ = run("--list", "-k", "Rendezvous")
    assert status == 0
    assert "waiting.a_rendezvous_send_returns_once_taken\n    On a rendezvous, `send` returns once" in out


BAD = {
    "x = 1": "my_model.py has no Channel: define a class Channel",
    "Channel = 3": "my_model.py has a Channel that is not a class",
    "class Channel:\n    def send(self, item): pass": "the Channel of my_model.py has no receive",
    "class Channel:\n    async def send(self, item): pass\n    def receive(self): pass": "mixes sync and async",
    "class ChannelClosed(Exception): pass\nclass Channel:\n    send = receive = print": "ChannelClosed of its own",
    "class Channel:\n    send = receive = print\nFACTS = {'no such': 1}": "FACTS of my_model.py must be a dict",
    "def (": "my_model.py can't be imported: SyntaxError: invalid syntax (line 1)",
    "\n1 / 0": "my_model.py can't be imported: ZeroDivisionError: division by zero (line 2)",
    "raise SystemExit(0)": "my_model.py can't be imported: SystemExit: 0 (line 1)",
    "import os; os._exit(0)": "my_model.py can't be graded: loading it ended Python with status 0",
    "while True: pass": "my_model.py can't be graded: it was not loaded within 1 seconds",
}


IN_A_PROCESS = ("x = 1", "import os; os._exit(0)", "while True: pass")
"""What is graded by the command even without `--thorough`: one that is refused, and what only a process survives."""


@pytest.mark.parametrize("text", [it for it in BAD if it not in IN_A_PROCESS])
def test_what_is_no_model_is_refused(tmp_path, monkeypatch, text):
    monkeypatch.setattr(sys, "path", [*sys.path])
    with pytest.raises(Refused, match=re.escape(BAD[text])):
        candidate.model(str(write(tmp_path, text)))
    del sys.modules["my_model"]


@pytest.mark.parametrize(
    "text",
    [pytest.param(it, marks=[] if it in IN_A_PROCESS else [pytest.mark.thorough]) for it in BAD],
)
def test_what_is_no_model_is_refused_in_one_sentence(tmp_path, text):
    status, out, err = run(write(tmp_path, text), *(IN_A_HURRY if "while" in text else ()))
    assert (status, out) == (2, "")
    assert BAD[text] in err and err.count("\n") == 1 and "Traceback" not in err


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ((), "which model?"),
        (("thread",), "there is no model 'thread': did you mean threads? There are threads"),
        (("no/such.py",), "there is no file no/such.py"),
        ((".",), ". is not a file"),
        (("threads", "-k", "nothing has this"), "no guarantee contains 'nothing has this'"),
        (("threads", "--patience", "0"), "a number of seconds above 0 is needed, not '0'"),
        (("threads", "--json", "/no/such/folder/file"), "can't write '/no/such/folder/file'"),
        (("threads", "--nonsense"), "unrecognized arguments: --nonsense"),
    ],
)
def test_bad_input_is_one_sentence(arguments, sentence):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert sentence in err and err.count("\n") == 1 and err.startswith("concmodels.conformance: ")


def test_ctrl_c_ends_the_child_too(tmp_path):
    mark = uuid.uuid4().hex
    sentinel = tmp_path / "sending"
    os.mkfifo(sentinel)
    model = write(tmp_path, LONE.format(send=f"open({str(sentinel)!r}, 'w').close(); time.sleep(3600)"))
    process = start(model, "-k", "send_does_not_wait", MARK=mark)
    sentinel.read_text()  # until the guarantee hangs
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=50)
    assert (process.returncode, err) == (130, "concmodels.conformance: interrupted\n")
    assert not [pid for pid in filter(str.isdecimal, os.listdir("/proc")) if has_mark(pid, mark)]


def has_mark(pid, mark):
    try:
        return f"MARK={mark}".encode() in Path("/proc", pid, "environ").read_bytes()
    except OSError:
        return False


# The door for teachers.


class Classroom:
    """An object with a Channel, as a notebook has it."""

    class Channel:
        def __init__(self, capacity=0, name=None):
            self.closed = False

        def send(self, item, timeout=None):
            raise NotImplementedError("sending comes next week")

        def receive(self, timeout=None):
            raise NotImplementedError("receiving comes next week")

        def close(self):
            self.closed = not self.closed


def test_grade_an_object():
    report = grade(Classroom(), only="closing.close_is_idempotent")
    assert report.grade == "0 of 1 guarantee kept"
    (line,) = report.broken
    assert line.sentence == "`close()` is idempotent: a second call does nothing." and len(line.outcomes) == 4
    assert grade(Classroom(), only="one_to_one").not_guaranteed[0].outcomes[0].reason == "sending comes next week"


def test_grade_what_has_a_name_or_a_file():
    heard = []
    report = grade(load("threads"), only="closing.with_closes", tell=heard.append)
    assert (report.model, report.grade, len(heard)) == ("threads", "1 of 1 guarantee kept", 4)
    assert grade(load("processes:spawn"), only="close_is_idempotent(capacity=0)").model == "processes:spawn"
    assert grade(EXAMPLES / "my_first_model.py", only="a_bad_capacity").grade == "1 of 1 guarantee kept"
    with pytest.raises(Refused, match="there is no file"):
        grade("no_such.py")


def test_a_failing_assert_tells_what_it_saw():
    def fails(text):
        with pytest.raises(AssertionError) as caught:
            exec(values.compile_shown(f'"""A text."""\ntaken = []\n{text}', "a text"), {})
        return str(caught.value)

    assert fails("assert taken == [1]") == "`taken` was [], and should have been [1]"
    assert fails("assert not taken and len(taken) > 2") == "`len(taken)` was 0, and should have been > 2"
    assert fails("assert 0 < len(taken) < 2") == "`0 < len(taken) < 2` should be true"
    assert fails("assert taken, 'its own words'") == "its own words"
    assert fails("assert list(range(100)) == list(range(99))").endswith("(100 items instead of 99; the first 99 agree)")


@pytest.mark.parametrize("texts", ["guarantees", "sync"])
def test_what_children_import_is_light(texts):
    program = f"import sys, concmodels.conformance.{texts}.tools; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert not {"pytest", "_pytest", "rich", "inspect", "typing", "argparse", "dataclasses"} & set(out.split())
