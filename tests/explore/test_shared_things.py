"""Of all kinds of things that threads share, no program is held in all that can fail, and none is broken that can't.

pytest tests/explore/test_shared_things.py --thorough     some thousands of programs
"""

import sys

import pytest
import shared_programs

from concmodels.explore import explore
from concmodels.explore.preemption.accesses import accessed
from concmodels.explore.preemption.call_accesses import takes_container
from concmodels.explore.preemption.expressions import Unknown
from concmodels.explore.preemption.monitoring import CodeMonitor

PER_TEST = 10
PROGRAMS, THOROUGH = 10, 4_000
MUST_BE_FOUND = 0.7
"""The share of the programs of one test that are to be found broken; the others use what can't be followed."""


def pytest_generate_tests(metafunc):
    if "part" in metafunc.fixturenames:
        programs = THOROUGH if metafunc.config.getoption("thorough") else PROGRAMS
        metafunc.parametrize("part", range(programs // PER_TEST))


def programs(part, folder):
    """Yield programs that are broken for certain."""
    number, made = part * 1000, 0
    while made < PER_TEST:
        number += 1
        program = shared_programs.Program(number, folder)
        if program.is_broken:
            made += 1
            yield program


def judged(program, folder, *, fixed):
    path = folder / "shared_program.py"
    path.write_text(program.text(fixed=fixed))
    return explore(str(path), schedules=400, seconds=50.0)


@pytest.mark.timeout(240)
def test_no_program_is_held_in_all_that_can_fail(part, tmp_path):
    found = 0
    for program in programs(part, tmp_path):
        report = judged(program, tmp_path, fixed=False)
        assert report.verdict != "held in all", f"{program.name}\n{report}"
        found += report.verdict == "broken"
    assert found >= MUST_BE_FOUND * PER_TEST


@pytest.mark.timeout(240)
def test_no_program_is_broken_that_can_t_fail(part, tmp_path):
    for program in programs(part, tmp_path):
        report = judged(program, tmp_path, fixed=True)
        assert report.failure is None, f"{program.name}\n{report}"


def test_every_row_has_a_program_that_is_broken(tmp_path):
    left = set(shared_programs.ROWS)
    for number in range(3000):
        program = shared_programs.Program(number, tmp_path)
        row = next((it for it in left if program.name.split(": ")[1].startswith(it + " ")), None)
        if row is not None and program.is_broken:
            left.remove(row)
        if not left:
            return
    raise AssertionError(left)


def test_what_names_a_container_is_an_access_whatever_is_in_it(monkeypatch, tmp_path):
    asked = {True: set(), False: set()}

    def is_shared(self, site, returned):
        frame = sys._getframe(2)
        try:
            found = bool(accessed(site, frame, returned, self))
        except Unknown:
            found = True
        quickly = takes_container(site, frame)
        assert found or not quickly, site.name
        asked[quickly].add(site.name)
        return found

    monkeypatch.setattr(CodeMonitor, "_is_shared", is_shared)
    path = tmp_path / "program.py"
    path.write_text("""
import threading
from collections import deque

class Stack:
    def __init__(self): self.items = []
    def pop(self): return self.items.pop()
    def append(self, item): self.items.append(item)

def main():
    items, seen, names, last, stack = [], set(), {}, deque(), Stack()
    def work():
        items.append(1); seen.add(1); names.setdefault(1, []).append(2); last.append(3); stack.append(4)
        assert sorted(items) and len(names) and list(seen) and max(last) == 3 and items == items[:]
        assert stack.pop() == 4 and str(1) and len("text") and abs(-1) and (1, 2) == (1, 2)
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
""")
    report = explore(str(path), search="random", schedules=30)
    assert report.failure is None, str(report)
    assert asked[True] >= {"items.append", "seen.add", "last.append", "sorted", "len", "max"}
    assert asked[False] >= {"stack.append", "stack.pop", "str"}
