"""Methods that a dataclass is given read attributes, which may change meanwhile, and no instruction names them."""

import textwrap

import pytest

from concmodels.explore import explore

PROGRAM = """
    import dataclasses, functools, heapq, operator, threading
    from collections import Counter, deque

    bad = []

    @dataclasses.dataclass(order=True, unsafe_hash=True)
    class Data:
        n: int

    x = Data(1)
    numbers = [1]

    def call(function, *args):
        return function(*args)

    def add(seen):
        seen.add(x)
        return len(seen)

    def put(known):
        known[x] = 2
        return len(known)

    def change():
        {change}

    def look():
        return {look}

    def twice():
        {lock}:
            if look() != look():
                bad.append(1)

    def once():
        {lock}:
            change()

    lock = threading.Lock()

    def main():
        threads = [threading.Thread(target=it) for it in (twice, once)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not bad
"""
OF_A_DATACLASS = [
    *("x in [Data(1)]", "x in (Data(1),)", "x in deque([Data(1)])", "(x, 1) in [(Data(1), 1)]", "[x] in [[Data(1)]]"),
    *("Data(1) in [x]", "x in {Data(1)}", "x in {Data(1): 2}", "x not in [Data(2), Data(1)]"),
    *("(x,) == (Data(1),)", "[x] == [Data(1)]", "{1: x} == {1: Data(1)}", "x < Data(3)", "(x, 1) > (Data(2), 0)"),
    *("hash(x)", "hash((x, 1))", "len({x, Data(1)})", "len({x: 1, Data(1): 2})", "len({it for it in (x, Data(1))})"),
    *("len({it: 1 for it in (x, Data(1))})", "len({*[Data(1)], x})", "len({**{Data(1): 1}, x: 2})"),
    *("add({Data(1)})", "put({Data(1): 1})", "{Data(1): 2}.get(x)", "{Data(1): 7}.setdefault(x, 8)"),
    *("len(set([x, Data(1)]))", "len(dict([(x, 1), (Data(1), 2)]))", "{Data(1)} >= {x}", "{Data(1)}.isdisjoint([x])"),
    *("[Data(1)].count(x)", "operator.indexOf([Data(1), Data(5)], x)", "call(x.__eq__, Data(1))", "call(hash, x)"),
    *("heapq.nsmallest(1, [Data(3), x])[0] is x", "x in (it for it in [Data(1)])", "min(x, Data(3)) is x", "repr([x])"),
]
OF_A_LIST = [
    *("numbers in [[1]]", "numbers in ([1],)", "[1] in [numbers]", "numbers in deque([[1]])", "[[numbers]] == [[[1]]]"),
    *("[numbers] in [[[1]]]", "numbers in {1: [1]}.values()", "[[1]].count(numbers)", "(numbers, 2) == ([1], 2)"),
]
LOOKS = [
    *((look, "x.n = 5") for look in OF_A_DATACLASS),
    *((look, "setattr(x, 'n', 5)") for look in OF_A_DATACLASS[:3]),
    *((look, "numbers.append(2)") for look in OF_A_LIST),
]


@pytest.fixture
def judged(tmp_path):
    def judge(**parts):
        path = tmp_path / "program.py"
        path.write_text(textwrap.dedent(PROGRAM).format(**parts))
        return explore(str(path), schedules=500, seconds=50)

    return judge


def pytest_generate_tests(metafunc):
    some = slice(None, None, 1 if metafunc.config.getoption("thorough") else 5)
    metafunc.parametrize(("look", "change"), LOOKS[some])


def test_what_it_reads_is_found_and_under_a_lock_it_is_proved(judged, look, change):
    report = judged(look=look, change=change, lock="with threading.Lock()")
    assert report.verdict == "broken", report
    report = judged(look=look, change=change, lock="with lock")
    assert report.failure is None, report
    assert report.verdict == "held in all", report
