"""Programs that use packages: those of one's own are explored, and others are named."""

import json
import os
import sys
import textwrap
from pathlib import Path

import others_plugins
import preloaded
import pytest
import suites

import concmodels
from concmodels.explore import CannotExplore, explore, replay
from concmodels.explore.command import explore_command

ROOT = Path(concmodels.__file__).parent.parent
COUNTER = """
    import threading

    class Counter:
        def __init__(self):
            self.n = 0
            self.lock = threading.Lock()

        def add(self):
            self.n = self.n + 1

        def add_locked(self):
            with self.lock:
                self.n = self.n + 1

    def apart(target):
        threads = [threading.Thread(target=target) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
"""
USES = """
    import {package}
    from {package}.counting import Counter, apart

    def broken():
        counter = Counter()
        apart(counter.add)
        assert counter.n == 2

    def fixed():
        counter = Counter()
        apart(counter.add_locked)
        assert counter.n == 2
"""
OWN_THREADS = """
    import threading
    from {package}.counting import Counter

    def broken():
        counter = Counter()
        threads = [threading.Thread(target=counter.add) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Write a package into a folder that is on the path of imports; return a function that writes a program beside."""
    names = set()

    def written(name, folder, text=COUNTER, init=""):
        inside = tmp_path / folder / name
        inside.mkdir(parents=True)
        (inside / "__init__.py").write_text(textwrap.dedent(init))
        (inside / "counting.py").write_text(textwrap.dedent(text))
        monkeypatch.syspath_prepend(str(tmp_path / folder))
        names.add(name)
        return inside

    yield written
    for module in [it for it in sys.modules if it.partition(".")[0] in names]:
        del sys.modules[module]


@pytest.fixture
def file(tmp_path):
    """Write a program into a folder of its own, and return its name."""

    def write(text, name="program.py"):
        path = tmp_path / "tests" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return str(path)

    return write


def test_a_package_in_src_is_explored(package, file):
    package("counterpkg_src", "src")
    path = file(USES.format(package="counterpkg_src"))
    report = explore(f"{path}:broken")
    assert report.verdict == "broken" and "counting.py:10" in str(report)
    assert replay(f"{path}:broken", schedule=str(report.failure.replay_id)).verdict == "broken"
    report = explore(f"{path}:fixed")
    assert report.verdict == "held in all" and report.in_all > 1


def test_so_is_one_that_a_finder_of_an_editable_installation_finds(package, file, monkeypatch, tmp_path):
    inside = package("counterpkg_editable", "elsewhere/src")
    monkeypatch.setattr(sys, "path", [it for it in sys.path if not it.startswith(str(tmp_path))])

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            from importlib.util import spec_from_file_location

            if name == "counterpkg_editable":
                where = [str(inside)]
                return spec_from_file_location(name, inside / "__init__.py", submodule_search_locations=where)
            return None

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    path = file(USES.format(package="counterpkg_editable"))
    assert explore(f"{path}:broken").verdict == "broken"
    assert explore(f"{path}:fixed").verdict == "held in all"


def test_an_installed_package_is_named_and_nothing_is_proved(package, file, capsys, tmp_path):
    package("counterpkg_inst", "lib/site-packages")
    path = file(OWN_THREADS.format(package="counterpkg_inst"))
    report = explore(f"{path}:broken")
    assert (report.verdict, report.in_all) == ("held so far", None)
    assert "not explored: counterpkg_inst, which two threads use" in str(report)
    with pytest.raises(AssertionError, match="not explored: counterpkg_inst"):
        report.must_hold(in_all=True)
    for switches in ("gil", "checkpoints"):
        report = explore(f"{path}:broken", switches=switches)
        assert report.verdict == "held so far" and "not explored: counterpkg_inst" in str(report)
    told = tmp_path / "report.json"
    assert explore_command([f"{path}:broken", "--json", str(told)]) == 0
    assert "not explored: counterpkg_inst, which two threads use" in capsys.readouterr().out
    (object_,) = json.loads(told.read_text())
    assert object_["verdict"] == "held so far" and "not explored: counterpkg_inst" in object_["unseen"][0]


def test_its_threads_are_threads_of_the_system(package, file):
    package("counterpkg_real", "lib/site-packages")
    report = explore(file(USES.format(package="counterpkg_real")) + ":broken")
    assert report.verdict == "held so far"
    assert "a thread of the system is started" in str(report) and "nothing was explored" in str(report)


def test_one_that_one_thread_uses_takes_no_proof_away(package, file):
    package("counterpkg_one", "lib/site-packages")
    text = """
        import threading
        from counterpkg_one.counting import Counter

        total = 0
        lock = threading.Lock()

        def add(n):
            global total
            with lock:
                total += n

        def main():
            counter = Counter()
            counter.add()
            threads = [threading.Thread(target=add, args=(counter.n,)) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            counter.add_locked()
            assert total == counter.n == 2
    """
    assert explore(file(text)).verdict == "held in all"


def test_a_package_that_is_named_is_explored(package, file, capsys):
    package("counterpkg_named", "lib/site-packages")
    path = file(USES.format(package="counterpkg_named"))
    report = explore(f"{path}:broken", packages=["counterpkg_named"])
    assert report.verdict == "broken"
    again = replay(f"{path}:broken", schedule=str(report.failure.replay_id), packages=["counterpkg_named"])
    assert again.verdict == "broken"
    assert explore(f"{path}:fixed", packages=["counterpkg_named"]).verdict == "held in all"
    assert explore_command([f"{path}:broken", "--packages", "counterpkg_named"]) == 1
    assert "--packages counterpkg_named --replay" in capsys.readouterr().out
    with pytest.raises(CannotExplore, match="there is no package counterpkg_nowhere to explore"):
        explore(f"{path}:broken", packages=["counterpkg_nowhere"])
    with pytest.raises(CannotExplore, match="packages takes several names"):
        explore(f"{path}:broken", packages="counterpkg_named")


def test_operators_and_methods_of_its_objects_count_as_uses(package, file):
    cache = """
        class Cache:
            def __init__(self):
                self.data = {}

            def __contains__(self, key):
                return key in self.data

            def __setitem__(self, key, value):
                self.data[key] = value
    """
    package("counterpkg_cache", "lib/site-packages", cache)
    text = """
        import threading
        from counterpkg_cache.counting import Cache

        cache = Cache()
        made = []

        def work():
            if "it" not in cache:
                made.append(1)
                cache["it"] = 1

        def main():
            threads = [threading.Thread(target=work) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    """
    report = explore(file(text), schedules=2000)
    assert report.verdict == "held so far" and "not explored: counterpkg_cache, which two threads use" in str(report)


CONFIGURATION = {
    "src": ("src", "pythonpath = src\n", 2),
    "installed": ("lib/site-packages", "pythonpath = lib/site-packages\n", 1),
    "installed and named": ("lib/site-packages", "pythonpath = lib/site-packages\nexplore_packages = counterpkg\n", 2),
}


ORDERS = ("broken", "fixed"), ("fixed", "broken")


@pytest.mark.parametrize(
    ("layout", "order"),
    [
        pytest.param(layout, order, marks=[] if (number + place) % 2 == 0 else [pytest.mark.thorough])
        for number, layout in enumerate(CONFIGURATION)
        for place, order in enumerate(ORDERS)
    ],
)
def test_the_fixture_of_pytest_says_the_same(tmp_path, layout, order):
    folder, configuration, _ = CONFIGURATION[layout]
    inside = tmp_path / folder / "counterpkg"
    inside.mkdir(parents=True)
    (inside / "__init__.py").write_text("")
    (inside / "counting.py").write_text(textwrap.dedent(COUNTER))
    tests = textwrap.dedent(USES.format(package="counterpkg"))
    for name in order:
        tests += f"\n\ndef test_{name}(explore):\n    explore({name}).must_hold(in_all=True)\n"
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(tests)
    (tmp_path / "pytest.ini").write_text(f"[pytest]\n{configuration}")
    own = ("-p", "no:cacheprovider", "-p", "concmodels.explore.plugin")
    how = {"cwd": tmp_path, "env": os.environ | {"PYTEST_PLUGINS": "", "PYTHONPATH": str(ROOT)}}
    _, out = preloaded.run("pytest", "-rf", *own, *others_plugins.WITHOUT, imports=suites.IMPORTS, **how)
    if layout == "installed":
        assert "2 failed" in out and "nothing was explored" in out, out
    else:
        assert "1 failed, 1 passed" in out and "FAILED tests/test_it.py::test_broken" in out, out


# What a package imports besides.


def test_a_package_may_import_what_waits_for_the_outside(package, file):
    init = """
        import asyncio
        import socket
        import subprocess
        from asyncio import CancelledError, Protocol, iscoroutine
        from concurrent.futures import ThreadPoolExecutor
        import asyncio.events

        class Own(Protocol):
            pass

        def ask():
            try:
                return socket.getaddrinfo("localhost", 1)
            except Exception:
                return 0

        def is_async(it):
            return iscoroutine(it) or isinstance(it, asyncio.Task) or socket.AF_INET == subprocess.PIPE
    """
    package("counterpkg_waits", "src", init=init)
    text = (
        USES.format(package="counterpkg_waits")
        + """
    def asks():
        counterpkg_waits.ask()

    def makes():
        assert isinstance(counterpkg_waits.Own(), counterpkg_waits.asyncio.Protocol)

    def connects():
        assert not counterpkg_waits.is_async(connects)
        counterpkg_waits.socket.create_connection(("127.0.0.1", 1))
    """
    )
    path = file(text)
    assert explore(f"{path}:fixed").verdict == "held in all"
    assert explore(f"{path}:broken").verdict == "broken"
    assert explore(f"{path}:makes").failure is None
    for name, what in {
        "asks": "socket.getaddrinfo",
        "connects": "socket.create_connection",
    }.items():
        with pytest.raises(CannotExplore, match=f"the program uses {what} at .*, which waits for what no schedule"):
            explore(f"{path}:{name}")


def test_a_part_of_a_package_that_is_not_written_in_python_is_imported_as_it_is(package, file):
    inside = package("counterpkg_parts", "src")
    (inside / "native.py").write_text("value = 7\n")
    text = (
        USES.format(package="counterpkg_parts")
        + """
    def parts():
        import importlib
        from counterpkg_parts import counting
        import counterpkg_parts.counting as same
        assert counting is same
        try:
            from counterpkg_parts import nothing
        except ImportError:
            return "missing"
    """
    )
    assert set(explore(file(text) + ":parts").outcomes) == {"missing"}
