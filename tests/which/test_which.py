"""`python -m concmodels.which` as a user has it: what it refuses, and that it measures and answers."""

import functools
import re
import signal
import sys
from pathlib import Path

import known
import pytest
from commands import on_a_terminal
from in_process import called

from concmodels.platform import measuring
from concmodels.which.advice import judge
from concmodels.which.function import CantCall, arguments_of, described, found, place_of, shared_by
from concmodels.which.measured import INTERPRETERS, LOOP, PROCESSES, TASKS, THREADS
from concmodels.which.trials import Trials
from concmodels.which.ways import holds_gil, many

FOLDER = Path(__file__).parent
KNOWN = FOLDER / "known.py"
REAL_TIME = getattr(signal, "SIGRTMIN", 0)
RAISES = known.raises.__code__.co_firstlineno + 1


def which(*arguments):
    return called(*arguments, module="concmodels.which")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("known.py", "a file and one of its functions are needed, as in work.py:compute, not 'known.py'"),
        ("nowhere.py:f", "there is no file 'nowhere.py'"),
        ("json.py:loads", "json.py has the name of a module of Python, which would not be found any more: rename it"),
        ("a.b.py:f", "a.b.py can't be imported, because of the dot in its name"),
    ],
)
def test_what_names_no_function(tmp_path, monkeypatch, name, says):
    monkeypatch.chdir(tmp_path)
    for file in ("json.py", "a.b.py"):
        Path(file).touch()
    assert which(name) == (2, "", f"concmodels.which: {says}\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["sleep"], "there is no 'sleep' in known.py"),
        (["DATA"], "DATA in known.py is not a function, but a bytes"),
        (["numbers"], "numbers is a generator function, and a call alone does nothing: name a function that uses it"),
        (["add"], "add can't be called like this: missing a required argument: 'one': say --with ARGUMENT for each of "
         "(one, other=1)"),
        (["add", "--with", "1", "--with", "2", "--with", "3"], "add can't be called like this: too many positional "
         "arguments; each --with gives one"),
        (["add", "--with", "hello"], "--with takes an expression: hello is no name in known.py, and a text needs "
         "quotes in it: --with '\"hello\"'"),
        (["add", "--with", "Order(x)"], "--with takes an expression: Order is no name in known.py"),
        (["add", "--with", "1/0"], "--with takes an expression of Python, and '1/0' fails: ZeroDivisionError: division "
         "by zero"),
        (["raises"], f"raises failed: ValueError: no such number (known.py, line {RAISES})"),
        (["dies"], "dies failed: its process was killed by SIGKILL"),
        pytest.param(
            ["dies_of_a_real_time_signal"],
            f"dies_of_a_real_time_signal failed: its process was killed by signal {REAL_TIME + 1}",
            marks=pytest.mark.skipif(REAL_TIME == 0, reason="this system has no real-time signals"),
        ),
        (["exits"], "exits failed: its process ended before it had answered"),
    ],
    ids=lambda it: it[0] if isinstance(it, list) else "",
)  # fmt: skip
def test_what_cannot_be_called(arguments, says):
    name, *rest = arguments
    assert which(f"{KNOWN}:{name}", *rest) == (2, "", f"concmodels.which: {says}\n")


def test_annotations_that_only_type_checkers_know_are_not_looked_up(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    assert arguments_of(known.annotated, place_of(f"{KNOWN}:annotated"), ["3"]) == (3,)
    with pytest.raises(CantCall, match=r"say --with ARGUMENT for each of \(order: Decimal\) -> Decimal"):
        arguments_of(known.annotated, place_of(f"{KNOWN}:annotated"), [])


def test_a_call_that_does_not_end():
    status, out, err = which(f"{KNOWN}:never", "--seconds", "3")
    assert (status, out) == (2, "")
    assert "a call of never had not ended after 2." in err


def test_an_import_that_does_not_end(tmp_path):
    (tmp_path / "slow.py").write_text("import threading\nthreading.Event().wait()\ndef f(): pass\n")
    status, out, err = which(f"{tmp_path / 'slow.py'}:f", "--seconds", "1")
    assert (status, out) == (2, "")
    assert re.search(r"the import of slow\.py had not ended after 0\.\d s: put what it does under `if", err)


def test_what_is_shared_is_found_through_functions_of_the_file(tmp_path, monkeypatch):
    (tmp_path / "shared_here.py").write_text(
        "import threading\nLOCK = threading.Lock()\nUNUSED = threading.RLock()\n"
        "def inner():\n    with LOCK: pass\ndef outer():\n    return [inner() for _ in range(3)]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    outer = found(place_of(f"{tmp_path / 'shared_here.py'}:outer"))
    assert shared_by(outer, __import__("shared_here")) == ["LOCK, a lock"]


def test_a_file_in_a_package_is_imported_by_its_full_name(tmp_path):
    (tmp_path / "shop" / "orders").mkdir(parents=True)
    for file in ("__init__.py", "orders/__init__.py", "orders/price.py"):
        (tmp_path / "shop" / file).touch()
    place = place_of(f"{tmp_path / 'shop' / 'orders' / 'price.py'}:total")
    assert place == (str(tmp_path), "shop.orders.price", "total")


def test_a_report_of_something_that_waits(monkeypatch):
    monkeypatch.setattr("concmodels.which.trials.TURNS", 1)  # one is enough to tell this
    status, out, err = which(f"{KNOWN}:sleeps", "--seconds", "6")
    assert (status, err) == (0, "")
    assert out.startswith("sleeps() takes ") and "Use threads: it waits" in out
    assert "from known import sleeps" in out


def test_a_slow_async_function_has_time_for_its_fifty_tasks():
    """They are not expected to take fifty times as long as one call."""
    its = Trials(place_of(f"{KNOWN}:waits_long"), (), 20).measured()
    assert its.ways[TASKS].rounds and judge(its).use == "asyncio"


def test_memory_is_bounded():
    place = place_of(f"{KNOWN}:sleeps")
    its = Trials(place, (), 6, most_bytes=1)
    with pytest.raises(Exception, match="sleeps failed: stopped, because it took 0.0 GiB of memory"):
        its.measured()


ANSWERS = {
    "known.py:python": (PROCESSES, INTERPRETERS),
    "known.py:digest": (THREADS,),
    "known.py:deflate": (THREADS,),
    "known.py:ask": (THREADS,),
    "known.py:sleeps": (THREADS,),
    "known.py:parse": (PROCESSES, INTERPRETERS),
    "known.py:locked": (LOOP,),
    "known_extension.py:compute": (PROCESSES,),
    "known.py:unpicklable": (LOOP,),
    "known.py:waits": ("asyncio",),
}


@pytest.mark.thorough
@pytest.mark.timeout(400)
@pytest.mark.parametrize("name", ANSWERS)
def test_a_function_whose_answer_is_known(name):
    its = Trials(place_of(f"{FOLDER}/{name}"), (), 300).measured()
    assert judge(its).use in ANSWERS[name]


@pytest.mark.parametrize(("function", "holds"), [(known.python, True), (known.digest, False)])
def test_whether_a_call_holds_the_gil(function, holds):
    """Also while the machine is busy: only what is neither computing nor a wait for a processor counts."""
    if not sys._is_gil_enabled() or measuring.scheduled() is None:
        pytest.skip("there is no GIL, or the system doesn't count waits for a processor")
    assert (holds_gil(functools.partial(many, function, (), 3), 0.25) > 0.5) == holds


def test_what_a_call_raises_in_a_thread_is_not_swallowed():
    with pytest.raises(ValueError, match="no such number"):
        holds_gil(known.raises, 0.01)


def test_a_progress_bar_and_the_end_by_ctrl_c(tmp_path):
    """`on_a_terminal` presses Ctrl-C when it has seen the bar; after that nothing is left."""
    written = on_a_terminal(tmp_path, f"{KNOWN}:sleeps", module="concmodels.which", look_for=r"known\.py:sleeps.*\d%")
    assert "concmodels.which: interrupted" in written


def test_the_reason_of_an_interpreter_is_what_was_raised_there_first():
    """All that an executor of interpreters gives is a traceback as text, with what Python says about it after that."""

    class NotShareableError(Exception):
        pass

    told = (
        'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\nImportError: no such lock\n\n'
        "The above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n"
        "concurrent.interpreters.NotShareableError: object could not be unpickled\n"
    )
    error = NotShareableError("args not shareable")
    error.__cause__ = Exception(told)
    assert described(error) == "ImportError: no such lock"
