"""The programs of "How do I ...?" show what their pages say of them, and each is on a page.

What they print is on the site: `make test-docs` runs these.
"""

import functools
import importlib.util
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import interruptible
import others_plugins
import pytest
import site_runs

from concmodels import catalog

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "answers"
PAGES = ROOT / "docs" / "answers"
SAID = {
    "back_pressure": ["no bound", "at most 10:    10 items waited"],
    "contexts": ["asyncio.to_thread                  seen", "Thread(context=copy_context())     seen"],
    "contexts_processes": ["spawn      sees nothing"],
    "eager": ["lazy:", "eager:"],
    "first_step": [
        "asyncio: the child has not run a line",
        "asyncio's group: the child has not run a line",
        "trio: the finally has run",
        "anyio: the finally has run",
    ],
    "fork_other_locks": ["logging, in the child: free", "a queue.Queue, in the child: locked"],
    "gui_asyncio": ["page 0\npage 1\npage 2"],
    "gui_frozen": ["redrawn meanwhile: 0 times"],
    "gui_loop": ["first\nsecond"],
    "gui_worker": ["20 %\n40 %\n60 %\n80 %\n100 %\nredrawn meanwhile: often"],
    "lock_kinds": [
        "Lock, taken a second time by its thread: False",
        "Lock, released by another thread: no error",
        "RLock, taken a second time by its thread: True",
        "RLock, released by another thread: RuntimeError",
        "Condition, notified before the wait: False",
        "Condition, notified without its lock: RuntimeError",
        "Event, set before the wait: True",
        "Semaphore, released too often: no error",
        "BoundedSemaphore, released too often: ValueError",
        "one thread too few, with a timeout: BrokenBarrierError",
        "for the next one that comes: BrokenBarrierError",
    ],
    "loop_and_processes": ["1 result, four times; the loop went on: True"],
    "loop_in_a_thread": ["page 0 in the loop\npage 1 in the loop\npage 2 in the loop"],
    "own_loop": ["with result(): nothing, the loop stood still", "with await: 42"],
    "percentiles": ["greenlet", "threads", "processes", "P99"],
    "pool_size": ["16 workers:", "by Little's law"],
    "pool_waits_for_itself": ["no worker was free\nno worker was free"],
    "runner": ["second call: True", "closed at the end: True", "each time: True"],
    "start_methods": ["the default here:", "spawn", "as the module says"],
    "swallowed": [
        "cancelling() is 1; the group failed, and that was handled; the next wait was cancelled",
        "cancelling() is 0; the group failed, and that was handled; the task goes on",
        "the time was over: True, and no TimeoutError",
    ],
    "thread_local": [
        "threads              each its own",
        "asyncio tasks        one for all",
        "greenlets            one for all",
        "gevent               one for all",
        "gevent, patched      each its own",
    ],
    "thread_to_loop": ["handled one\nhandled two\nhandled three"],
    "typed_asyncio": ["30"],
    "typed_mistakes": [],  # mypy reads it, in `make lint`
    "typed_threads": ["30"],
    "too_many_tasks": ["inside the task: at most 1000 tasks", "before the task: at most   10 tasks"],
}
PLUGINS = ("-p", "no:cacheprovider", "-p", "concmodels.explore.plugin", *others_plugins.WITHOUT)
PROGRAMS = sorted(path for path in FOLDER.glob("*.py") if not path.stem.startswith(("test_", "gui_window")))


@functools.cache
def printed(*command: str) -> str:
    """What a program prints, with every warning an error in it. It runs once, whatever is asked about it."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = interruptible.run([sys.executable, "-W", "error", *command], cwd=ROOT, env=environment, timeout=50)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def shown(program):
    """What a program printed when the site was built."""
    done = site_runs.ran(program)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


LIBRARIES = ("gevent", "trio", "anyio")
"""Some programs compare models in the libraries' own terms."""


@pytest.mark.docs
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_it_shows_what_its_page_says(program, thorough):
    for name in catalog.names():
        text = program.read_text()
        needed = f'"{name}"' in text or (name in LIBRARIES and f"import {name}" in text)
        if needed and (reason := catalog.why_not(name)):
            pytest.skip(f"{name}: {reason}")
    if "os.fork" in text and not hasattr(os, "fork"):
        pytest.skip("there is no fork here")
    said = printed(str(program)) if thorough else shown(program)
    assert [text for text in SAID[program.stem] if text not in said] == []


@pytest.mark.docs
@pytest.mark.parametrize("inherits", [False, True])
def test_what_threads_inherit_is_a_flag(inherits):
    said = printed("-X", f"thread_inherit_context={int(inherits)}", str(FOLDER / "contexts.py"))
    seen = dict(re.findall(r"^(.*?)  +(.*)$", said, re.MULTILINE))
    of_thread = "seen" if inherits else "-"
    assert seen == {
        "asyncio.create_task": "seen",
        "asyncio.to_thread": "seen",
        "loop.run_in_executor": of_thread,
        "threading.Thread": of_thread,
        "Thread(context=copy_context())": "seen",
        "ThreadPoolExecutor.submit": of_thread,
        "... its second task": of_thread,  # not the later value: a worker inherits once
        "... submit(copy_context().run, f)": "a later value",
    }


@pytest.mark.docs
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_alone_sees_what_the_parent_has_changed():
    said = shown(FOLDER / "start_methods.py")
    seen = dict(re.findall(r"^(\w+) .* sees the setting (.*)$", said, re.MULTILINE))
    assert {method for method, setting in seen.items() if setting != "as the module says"} == {"fork"}


@pytest.mark.docs
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_alone_sees_the_parents_context():
    said = shown(FOLDER / "contexts_processes.py")
    seen = dict(re.findall(r"^(\w+) +sees (.*)$", said, re.MULTILINE))
    assert {method for method, value in seen.items() if value != "nothing"} == {"fork"}


def test_the_main_loop_is_of_the_shape_of_tkinters():
    """Each of its methods takes what the one of a window takes, wherever there is tkinter to compare it with."""
    tkinter = pytest.importorskip("tkinter", reason="there is no tkinter here; its stand-in is tested all the same")
    spec = importlib.util.spec_from_file_location("gui_loop", FOLDER / "gui_loop.py")
    gui_loop = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gui_loop)
    names = {name for name in vars(gui_loop.MainLoop) if not name.startswith("_")}
    assert names == {"after", "mainloop", "quit"}
    for name in names:
        parameters = list(inspect.signature(getattr(gui_loop.MainLoop, name)).parameters)
        real = inspect.signature(getattr(tkinter.Tk, name)).parameters
        assert len(parameters) <= len(real), name


@pytest.mark.docs
def test_without_a_bound_the_memory_goes_up():
    said = shown(FOLDER / "back_pressure.py")
    unbounded, bounded = (float(it) for it in re.findall(r"([\d.]+) MiB", said))
    assert unbounded > 10 > 1 > bounded


@pytest.mark.docs
def test_a_waiting_pool_follows_littles_law():
    """Up to 16 threads; how far 64 of them come depends on the machine."""
    said = printed(str(FOLDER / "pool_size.py"))
    rates = {
        int(it): (float(rate), float(law)) for it, rate, law in re.findall(r"(\d+) workers: +(\d+) .*law +(\d+)", said)
    }
    assert list(rates) == [1, 4, 16, 64]
    assert all(rate <= law * 1.02 for rate, law in rates.values())  # nobody waits shorter than that
    assert rates[4][0] > 2 * rates[1][0]


def ran(file: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run pytest on a file, in the file's folder."""
    if reason := catalog.why_not("sim"):
        pytest.skip(str(reason))
    command = [sys.executable, "-m", "pytest", "-q", *PLUGINS, *options, file.name]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return interruptible.run(command, cwd=file.parent, env=environment, timeout=50)


@pytest.mark.docs
def test_the_tests_on_the_page_pass():
    done = ran(FOLDER / "test_tickets.py")
    assert done.returncode == 0 and "3 passed" in done.stdout, done.stdout


@pytest.mark.docs
def test_the_first_test_on_the_page_fails_without_its_lock(tmp_path):
    text = (FOLDER / "test_tickets.py").read_text()
    broken = tmp_path / "test_tickets.py"
    broken.write_text(text.replace("with self.lock:", "if True:"))
    assert broken.read_text() != text
    done = ran(broken, "-k", "no_schedule")
    assert done.returncode == 1 and "1 failed" in done.stdout, done.stdout


WINDOW = """
from gui_loop import MainLoop


class Tk(MainLoop):
    def title(self, text):
        pass


class Label(dict):
    def __init__(self, window, **options):
        self.window = window

    def pack(self, **options):
        pass

    def __setitem__(self, name, value):
        print(name, value)


class Button(Label):
    def __init__(self, window, command, **options):
        self.window = window
        window.after(0, command)

    def __setitem__(self, name, value):
        print(name, value)
        if value == "normal":
            self.window.quit()
"""
"""Where there may be no display: the window presses its button at once, and ends when it may be pressed again."""


@pytest.mark.docs
@pytest.mark.parametrize(
    ("instead", "said"),
    [("pass", [f"text {it}" for it in ("20 %", "40 %", "60 %", "80 %", "100 %", "done")]),
     ("raise OSError('no network')", ["text failed: no network"])],
    ids=["all goes well", "the work fails"],
)  # fmt: skip
def test_the_window_shows_what_its_thread_sends(tmp_path, instead, said):
    (tmp_path / "tkinter.py").write_text(WINDOW)
    (tmp_path / "gui_loop.py").write_text((FOLDER / "gui_loop.py").read_text())
    text = (FOLDER / "gui_window.py").read_text()
    program = tmp_path / "gui_window.py"
    program.write_text(text.replace("time.sleep(0.2)", instead))
    assert program.read_text() != text
    assert printed(str(program)).splitlines() == ["state disabled", *said, "state normal"]


def test_each_program_is_on_a_page():
    pages = [*PAGES.glob("*.md"), ROOT / "docs" / "trade-offs" / "fairness-and-tails.md"]
    shown = {name for path in pages for name in re.findall(r"examples/answers/(\w+)\.py", path.read_text())}
    assert shown == {path.stem for path in FOLDER.glob("*.py")}


def test_each_page_answers_before_it_explains():
    """The first paragraph has the answer, in bold; further down there is a trap, and the way to read on upstream."""
    pages = [path for path in PAGES.glob("*.md") if path.stem != "index"]
    assert pages
    for path in pages:
        heading, answer = path.read_text().split("\n\n")[:2]
        assert heading.startswith("# ") and heading.endswith("?"), path.name
        assert answer.startswith("**"), path.name
        assert re.search(r"\]\(https://", path.read_text()), path.name
        assert "output-of}" in path.read_text() or path.stem in {"free-threading", "from-erlang", "from-go"}, path.name


def test_the_index_has_a_sentence_for_each_page():
    text = (PAGES / "index.md").read_text()
    named = re.findall(r"^([\w-]+): \S", text, re.MULTILINE)
    assert sorted(named) == sorted(path.stem for path in PAGES.glob("*.md") if path.stem != "index")
