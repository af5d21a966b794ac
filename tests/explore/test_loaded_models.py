"""Programs that load their model themselves, in every style: they are explored on the simulated one, or refused."""

import importlib.util
import json
import os
import sys
import textwrap
from functools import partial
from pathlib import Path

import others_plugins
import preloaded
import pytest
import suites

import concmodels
from concmodels import catalog, load
from concmodels.explore import CannotExplore, explore, replay
from concmodels.explore.command import explore_command

ROOT = Path(concmodels.__file__).parent.parent
BANK = """
    {imports}

    account = {{"balance": 100}}

    def withdraw(n):
        if account["balance"] >= n:
            account["balance"] -= n

    def main():
        {inside}
        account["balance"] = 100
        with model.TaskGroup() as group:
            group.spawn(withdraw, 80)
            group.spawn(withdraw, 80)
        assert account["balance"] == 20
"""
LOCKED = """
    from concmodels import load

    model = load("{name}")

    def withdraw(turn, account, n):
        turn.receive()
        if account["balance"] >= n:
            account["balance"] -= n
        turn.send(None)

    def main():
        account = {{"balance": 100}}
        turn = model.Channel(1)
        turn.send(None)
        with model.TaskGroup() as group:
            group.spawn(withdraw, turn, account, 80)
            group.spawn(withdraw, turn, account, 80)
        return account["balance"]
"""
AWAITED = """
    from concmodels import load

    model = load("{name}")
    balance = 100

    async def withdraw(n):
        global balance
        if balance >= n:
            await model.sleep(0)
            balance -= n

    async def main():
        global balance
        balance = 100
        async with model.TaskGroup() as group:
            group.spawn(withdraw, 80)
            group.spawn(withdraw, 80)
        assert balance == 20
"""
CROSSED = """
    import threading
    from concmodels import load

    model = load("{name}")

    def take(one, other):
        with one, other:
            pass

    def main():
        a, b = threading.Lock(), threading.Lock()
        with model.TaskGroup() as group:
            group.spawn(take, a, b)
            group.spawn(take, b, a)
"""
STYLES = {
    "at the top": ('from concmodels import load\nmodel = load("{name}")', ""),
    "in main": ("from concmodels import load", 'model = load("{name}")'),
    "by the catalog": ('from concmodels import catalog\nmodel = catalog.load("{name}")', ""),
    "by the package": ('import concmodels\nmodel = concmodels.load("{name}")', ""),
    "inside": ("", 'import concmodels.catalog\nmodel = concmodels.catalog.load("{name}")'),
}
SYNC = [name for name in catalog.names() if not catalog.facts(name).is_async]
ASYNC = [name for name in catalog.names() if catalog.facts(name).is_async]


def text_of(style, name):
    imports, inside = STYLES[style]
    imports = imports.format(name=name).replace("\n", "\n    ")
    return textwrap.dedent(BANK).format(
        imports=imports.replace("    ", ""), inside=inside.format(name=name).replace("\n", "; ") or "pass"
    )


@pytest.fixture
def file(tmp_path):
    """Write a program into a file, and return its name."""

    def write(text, name="program.py"):
        (tmp_path / name).write_text(textwrap.dedent(text))
        return str(tmp_path / name)

    return write


@pytest.fixture
def module(file, monkeypatch):
    """Write a program into a file, and import it: with the model that it asks for, as a test suite does."""

    def imported(text):
        path = file(text, "loads_a_model.py")
        spec = importlib.util.spec_from_file_location("loads_a_model", path)
        found = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "loads_a_model", found)
        spec.loader.exec_module(found)
        return found

    return imported


@pytest.mark.parametrize("name", SYNC)
@pytest.mark.parametrize("style", STYLES)
def test_a_file_is_explored_whatever_model_it_loads(file, style, name):
    path = file(text_of(style, name))
    report = explore(path)
    assert report.verdict == "broken", report
    assert replay(path, schedule=str(report.failure.replay_id)).verdict == "broken"


@pytest.mark.parametrize("name", ["threads", "rawthreads", "greenlet"])
@pytest.mark.parametrize("style", STYLES)
def test_so_is_a_function_whose_module_was_imported(module, style, name):
    report = explore(module(text_of(style, name)).main)
    assert report.verdict == "broken", report


@pytest.mark.parametrize("name", ASYNC)
def test_so_is_a_coroutine_function(file, module, name):
    text = AWAITED.format(name=name)
    assert explore(file(text)).verdict == "broken"
    assert explore(module(text).main).verdict == "broken"


@pytest.mark.parametrize("name", ["threads", "rawthreads"])
def test_locks_of_threading_between_such_tasks_are_explored(file, module, name):
    text = CROSSED.format(name=name)
    for report in (explore(file(text)), explore(module(text).main)):
        assert report.verdict == "broken" and report.failure.to_json()["kind"] == "Deadlock"


@pytest.mark.parametrize("name", ["threads", "rawthreads", "gevent", "sim"])
def test_what_is_right_is_proved(file, module, name):
    text = LOCKED.format(name=name)
    for report in (explore(file(text)), explore(module(text).main)):
        assert (report.verdict, set(report.outcomes)) == ("held in all", {20}), report
        assert report.in_all > 1


@pytest.mark.parametrize("name", ["processes", "subinterp", "dask"])
def test_on_tasks_that_share_no_memory_nothing_is_proved(file, name):
    report = explore(file(LOCKED.format(name=name)))
    assert report.verdict == "held so far"
    assert f"the program loads {name}, whose tasks share no memory" in str(report)


def test_outside_of_the_exploration_the_model_is_what_it_was(module):
    found = module(text_of("at the top", "threads"))
    explore(found.main)
    assert found.model is load("threads")


def test_a_model_that_comes_in_by_other_ways_is_refused(file):
    model = load("threads")

    def main(given=None):
        with model.TaskGroup() as group:
            group.spawn(print)

    def by_default(model=model):
        pass

    def by_argument(model):
        pass

    for it in (main, by_default, partial(by_argument, model), partial(by_argument, model=load("anyio:trio"))):
        with pytest.raises(
            CannotExplore, match='give main the model load\\("sim"\\), or load the model inside of main'
        ):
            explore(it)
    with pytest.raises(CannotExplore, match="imports concmodels.models.threads, and no schedule decides"):
        explore(file("from concmodels.models import threads\ndef main(): pass\n"))


def test_a_run_inside_of_a_run_is_refused(file):
    for name in ("threads", "sim", "asyncio"):
        with pytest.raises(CannotExplore, match="explore the function that run is given"):
            explore(file(f'from concmodels import load\ndef main(): load("{name}").run(print)\n'))


# What was not explored is not proved.


def test_a_program_without_tasks_is_not_proved(file, capsys, tmp_path):
    path = file("def main():\n    return 20\n")
    report = explore(path)
    assert report.verdict == "held so far" and report.in_all is None
    assert "no task was started that the explorer can see, so nothing was explored" in str(report)
    report.must_hold()
    with pytest.raises(AssertionError, match="nothing was explored"):
        report.must_hold(in_all=True)
    assert explore_command([path, "--json", str(tmp_path / "report.json")]) == 0
    assert "held so far" in capsys.readouterr().out
    (told,) = json.loads((tmp_path / "report.json").read_text())
    assert (told["verdict"], told["in_all"]) == ("held so far", None)
    assert "nothing was explored" in told["unseen"][0]


def test_threads_of_the_system_are_named(file, tmp_path):
    """A module that was loaded before, with the real `threading`."""
    text = """
        import importlib
        real = importlib.import_module("threading")
        import threading
        done = []

        def main():
            thread = real.Thread(target=done.append, args=(1,))
            thread.start()
            thread.join()
            other = threading.Thread(target=done.append, args=(2,))
            other.start()
            other.join()
    """
    report = explore(file(text))
    assert report.verdict == "held so far"
    assert "a thread of the system is started at" in str(report) and "program.py:9" in str(report)


@pytest.mark.parametrize("in_all", [False, True])
def test_the_fixture_of_pytest_says_the_same(file, tmp_path, in_all):
    file(
        textwrap.dedent(text_of("at the top", "threads"))
        + textwrap.dedent(f"""
        def test_bank(explore):
            explore(main).must_hold(in_all={in_all})

        def alone():
            return 20

        def test_alone(explore):
            explore(alone).must_hold(in_all={in_all})
    """),
        "test_bank.py",
    )
    own = ("-p", "no:cacheprovider", "-p", "concmodels.explore.plugin")
    arguments = ("-q", *own, *others_plugins.WITHOUT, "test_bank.py")
    how = {"cwd": tmp_path, "env": os.environ | {"PYTHONPATH": str(ROOT)}, "imports": suites.IMPORTS}
    _, out = preloaded.run("pytest", *arguments, **how)
    assert "test_bank.py:" in out and f"{1 + in_all} failed" in out, out
