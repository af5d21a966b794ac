"""Models that attack their grader: each gets its verdict in one sentence, the next one is graded, nothing is left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from platforms import linux_files

import concmodels
from concmodels.conformance import Refused, grade
from concmodels.conformance.grading.runner import _FORGED, Child, _answer_in
from concmodels.platform import measuring

ROOT = Path(concmodels.__file__).parent.parent
ONE = "closing.close_is_idempotent(capacity=1)"
HONEST = """
class Channel:
    def __init__(self, capacity=0, name=None): self.capacity, self.closed = capacity, False
    def send(self, item, timeout=None): pass
    def receive(self, timeout=None): pass
    def close(self):
        self.closed = True
        {close}
"""
NOT_OURS = "it wrote to the grader's own pipe"

WRITES = {
    "a byte": "b'x'",
    "half a line": "b'{\"verdict\": '",
    "an empty line": "b'\\n'",
    "a number": "b'7\\n'",
    "a verdict": 'b\'{"verdict": "kept"}\\n\'',
    "a verdict that does not exist": 'b\'{"verdict": "splendid"}\\n\'',
    "an answer of another kind": "b'{\"ready\": {}}\\n'",
    "no text": "b'\\xff\\xfe\\n'",
    "deep JSON": "b'0 ' + b'[' * 100_000 + b'\\n'",
    "a line without an end": "b'y' * 2**21",
}
WRITTEN = ("a byte", "a verdict", "deep JSON", "a line without an end")
"""What is written to the real pipe without `--thorough` too; the rest is among NO_ANSWERS, which are only read."""


@linux_files
@pytest.mark.parametrize(
    "written", [pytest.param(WRITES[it], id=it, marks=[] if it in WRITTEN else [pytest.mark.thorough]) for it in WRITES]
)
def test_what_it_writes_to_all_descriptors_is_no_verdict(tmp_path, written):
    everywhere = f"import os\n        for fd in range(3, 20):\n            try: os.write(fd, {written})\n"
    path = tmp_path / "writer.py"
    path.write_text(HONEST.format(close=everywhere + "            except OSError: pass"))
    report = grade(path, only=ONE, schedules=0)
    assert [line.verdict for line in report.lines] == ["broken"]
    assert report.broken[0].outcomes[0].reason.startswith((NOT_OURS, "the program "))


def test_it_is_refused_if_it_writes_there_while_it_is_loaded(tmp_path):
    path = tmp_path / "writer.py"
    path.write_text(HONEST.format(close="pass") + "\nimport os\nfor fd in range(3, 20):\n"
                    "    try: os.write(fd, b'{}\\n')\n    except OSError: pass\n")  # fmt: skip
    with pytest.raises(Refused, match=NOT_OURS):
        grade(path, only=ONE, schedules=0)


REPLACES = {
    "the worker's function": "sys.modules['__main__']._test_of = lambda *_: lambda *_: {'verdict': 'kept'}",
    "what judges": "import concmodels.conformance.grading.verdict as r; r.verdict = lambda *_: {'verdict': 'kept'}",
    "how the worker judges": "sys.modules['__main__'].verdict = lambda *_: {'verdict': 'kept'}",
    "json": 'import json; json.dumps = lambda *_, **__: \'{"verdict": "kept"}\'',
    "the encoder": 'import json; json.JSONEncoder.encode = lambda *_: \'{"verdict": "kept"}\'',
    "os.write": "import os; os.write = lambda fd, data: len(data)",
    "the pipe": "sys.modules['__main__'].Wire.say = lambda *_, **__: None",
}


@pytest.mark.parametrize("replaces", REPLACES.values(), ids=REPLACES)
def test_what_it_replaces_does_not_judge(tmp_path, replaces):
    path = tmp_path / "replacer.py"
    path.write_text("import sys\n" + replaces + HONEST.format(close="raise ValueError('mine')"))
    report = grade(path, only=ONE, schedules=0)
    assert [line.verdict for line in report.lines] == ["broken"]


HANGS = "did not end within 2 seconds"
KILLED = "the program crashed Python: SIGKILL"
ENDS = {
    "atexit and status 0": ("import atexit, os; atexit.register(os._exit, 0); os._exit(0)", "ended Python with"),
    "closed descriptors": ("import os; os.closerange(0, 100)", "the program ended Python"),
    "its group": ("import os; os.killpg(0, 9)", KILLED),
    "its guard": ("import os; os.kill(os.getppid(), 9); import time; time.sleep(60)", KILLED),
    "a stopped guard": ("import os; os.kill(os.getppid(), 19); os.kill(os.getpid(), 19)", HANGS),
    "a stop of itself": ("import os; os.kill(os.getpid(), 19)", HANGS),
}


@linux_files
@pytest.mark.parametrize(("close", "reason"), ENDS.values(), ids=ENDS)
def test_how_it_ends_is_told(tmp_path, close, reason):
    path = tmp_path / "ender.py"
    path.write_text(HONEST.format(close=close))
    report = grade(path, only=ONE, schedules=0, patience=2)
    assert reason in report.broken[0].outcomes[0].reason


STARTS = """
import os, subprocess, sys, time

def tell():
    with open({place!r} + ".new", "w") as file:
        file.write(str(os.getpid()))
    os.rename({place!r} + ".new", {place!r})
    time.sleep(600)

def wait():
    while not os.path.exists({place!r}):
        time.sleep(0.01)

def a_child():
    os.fork() or tell()
    wait()

def a_session():
    os.fork() or os.setsid() or tell()
    wait()

def a_grandchild():
    if os.fork() == 0:
        os.setsid()
        os.fork() or tell()
        os._exit(0)
    wait()

def a_program():
    text = "import starter; starter.tell()"
    subprocess.Popen([sys.executable, "-c", text], start_new_session=True, env={{}}, cwd=os.path.dirname({place!r}))
    wait()

def one_that_outlives_the_worker():
    a_session()
    os._exit(0)
"""


@linux_files
@pytest.mark.parametrize(
    "start",
    [
        "a_child",
        pytest.param("a_session", marks=pytest.mark.thorough),  # a grandchild begins as one
        "a_grandchild",
        "a_program",
        "one_that_outlives_the_worker",
    ],
)
def test_what_it_has_started_is_ended_with_it(tmp_path, start):
    place = tmp_path / "pid"
    path = tmp_path / "starter.py"
    path.write_text(STARTS.format(place=str(place)) + HONEST.format(close=f"{start}()"))
    grade(path, only=ONE, schedules=0, patience=5)
    while measuring.started(int(place.read_text())) is not None:
        time.sleep(0.01)  # the test's own time limit ends this


STARTED = """
import subprocess, sys

program = subprocess.Popen([sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"],
                           stdout=subprocess.PIPE, start_new_session=True)
program.stdout.readline()
with open({place!r}, "w") as file:
    file.write(str(program.pid))
"""


@linux_files
def test_so_it_is_if_the_grader_says_so_when_the_worker_has_just_ended(tmp_path):
    place, path = tmp_path / "pid", tmp_path / "starter.py"
    path.write_text(STARTED.format(place=str(place)) + HONEST.format(close="pass"))
    for _ in range(10):
        child = Child(str(path), 5)
        while child._process.poll() is None:
            child._process.send_signal(signal.SIGTERM)
        child.end()
        while measuring.started(int(place.read_text())) is not None:
            time.sleep(0.01)  # the test's own time limit ends this


def test_the_next_file_is_graded(tmp_path):
    bad, good = tmp_path / "bad.py", tmp_path / "good.py"
    bad.write_text(HONEST.format(close="import os\n        os.write(4, b'x\\n')"))
    good.write_text(HONEST.format(close="pass"))
    command = [sys.executable, "-m", "concmodels.conformance", str(bad), str(good), "-k", ONE, "--real"]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 1
    assert "good.py: 1 of 1 guarantee kept" in done.stdout and "Traceback" not in done.stderr


NO_ANSWERS = [
    b"", b"n", b"n \n", b"n 7\n", b"n []\n", b"n {}\n", b'm {"started": true}\n', b'n {"verdict": "good"}\n', b"\xff\n",
    b'n {"verdict": "kept", "x": "y"}\n', b'n {"verdict": "kept", "reason": 7}\n', b'n {"ready": 1}\n',
    b'n {"told": {"verdict": "?"}}\n', b'n {"told": {"verdict": "kept"}, "seconds": "x"}\n', b"n " + b"[" * 99_999,
]  # fmt: skip
ANSWERS = [
    '{"started": true}',
    '{"refused": "why"}',
    '{"ready": {"a": "b"}}',
    '{"verdict": "kept", "guarantee": "g"}',
    '{"told": {"verdict": "broken", "reason": "r"}, "seconds": 1.5}',
]


@pytest.mark.parametrize("line", NO_ANSWERS, ids=range(len(NO_ANSWERS)))
def test_a_line_that_is_no_answer(line):
    assert _answer_in(line, "n") is _FORGED


@pytest.mark.parametrize("text", ANSWERS)
def test_a_line_that_is_one(text):
    assert _answer_in(f"n {text}\n".encode(), "n") is not _FORGED
