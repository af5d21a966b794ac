"""Data races: what is one, what only looks like one, and what the detector can't see."""

import dis
import sys
import textwrap

import pytest

from concmodels.explore import CannotExplore, explore
from concmodels.explore.preemption import opcodes

HEADER = """
import threading

def together(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

class Account:
    def __init__(self, balance):
        self.balance = balance
        self.lock = threading.Lock()
"""


@pytest.fixture
def explored(tmp_path):
    """Explore a program given as text."""

    def explored(text, **options):
        path = tmp_path / "program.py"
        path.write_text(HEADER + textwrap.dedent(text))
        return explore(str(path), seconds=50.0, **options)

    return explored


def races(report):
    return {race.what for race in report.races if not race.is_atomic}


INNOCENT = {
    "a lock for each account": """
        def move(one, other):
            first, second = sorted([one, other], key=id)
            with first.lock, second.lock:
                one.balance -= 10
                other.balance += 10
        def main():
            a, b = Account(100), Account(100)
            order = {id(a): 0, id(b): 1}
            together(lambda: guarded(a, b), lambda: guarded(a, b))
            assert a.balance + b.balance == 200
        def guarded(a, b):
            with a.lock, b.lock:
                a.balance -= 10
                b.balance += 10
        """,
    "each its own item of a list": """
        def main():
            results = [None, None]
            def work(number):
                results[number] = number
            together(lambda: work(0), lambda: work(1))
            assert results == [0, 1]
        """,
    "each its own key of a dict": """
        def main():
            results = {}
            def work(name):
                results[name] = len(name)
            together(lambda: work("a"), lambda: work("bb"))
            assert results == {"a": 1, "bb": 2}
        """,
    "append is one step": """
        def main():
            items = []
            together(lambda: items.append(1), lambda: items.append(2))
            assert sorted(items) == [1, 2]
        """,
    "each its own object": """
        def main():
            a, b = Account(1), Account(2)
            def pay(account):
                account.balance -= 1
            together(lambda: pay(a), lambda: pay(b))
            assert (a.balance, b.balance) == (0, 1)
        """,
    "written before the start, read after the end": """
        def main():
            account = Account(1)
            account.balance = 2
            def pay():
                account.balance += 1
            together(pay)
            assert account.balance == 3
        """,
    "local to each thread": """
        own = threading.local()
        def main():
            def work(number):
                own.number = number
                assert own.number == number
            together(lambda: work(1), lambda: work(2))
        """,
}

GUILTY = {
    "only the first of two locks": (
        """
        def move(first, second):
            with first.lock:
                first.balance -= 10
                second.balance += 10
        def main():
            a, b = Account(100), Account(100)
            together(lambda: move(a, b), lambda: move(b, a))
        """,
        {"first.balance"},
    ),
    "a lock that is made anew in each call": (
        """
        def main():
            account = Account(0)
            def pay():
                with threading.Lock():
                    account.balance += 1
            together(pay, pay)
        """,
        {"account.balance"},
    ),
    "an attribute of a class": (
        """
        class Counter:
            number = 0
        def main():
            def count():
                Counter.number += 1
            together(count, count)
        """,
        {"Counter.number"},
    ),
    "an attribute that only the class has, until one of the threads writes it": (
        """
        class Counter:
            number = 0
        def main():
            counter = Counter()
            def count():
                counter.number = 1
            def look():
                assert counter.number in (0, 1)
            together(count, look)
        """,
        {"counter.number"},
    ),
    "a variable of a function, read and written": (
        """
        def main():
            found = None
            def look():
                nonlocal found
                if found is None:
                    found = 1
            together(look, look)
        """,
        {"found"},
    ),
    "one item": (
        """
        def main():
            counts = {"a": 0}
            def count():
                counts["a"] += 1
            together(count, count)
        """,
        {"counts['a']"},
    ),
    "a variable of the enclosing function": (
        """
        def main():
            number = 0
            def count():
                nonlocal number
                number += 1
            together(count, count)
        """,
        {"number"},
    ),
}


@pytest.mark.parametrize("program", INNOCENT.values(), ids=INNOCENT)
def test_what_looks_guilty_and_is_not_holds_in_all_schedules(explored, program):
    report = explored(program)
    assert report.verdict == "held in all", str(report)
    assert races(report) == set()


@pytest.mark.parametrize("program, what", GUILTY.values(), ids=GUILTY)
def test_a_race_is_found_though_nothing_goes_wrong(explored, program, what):
    report = explored(program, search="all")
    assert report.verdict == "held in all" or report.unseen, str(report)
    assert races(report) >= what


READ_WHOLE = {
    "compared": "seen.append(items == other)",
    "joined": "seen.append(items + other)",
    "unpacked": "a, *rest = items; seen.append(rest)",
    "put into a list": "seen.append([*items])",
    "given to a function": "seen.append(count(*items))",
    "given by name": "seen.append(sum([[4]], start=items))",
    "added in place": "mine = [0]; mine += items; seen.append(mine)",
    "shown in a text": "seen.append(f'{items}')",
    "shown by repr": "seen.append(f'{items!r}')",
    "shown in a format": "seen.append(f'{items!s:>20}')",
    "shown within a tuple": "seen.append(f'{(1, items)}')",
    "shown by the result of a call": "seen.append(f'{of(items)}')",
    "shown by a percent sign": "seen.append('%s' % (items,))",
    "matched": """match items:
                    case [_, _]:
                        seen.append(2)
                    case _:
                        seen.append(3)""",
    "matched within": """match (0, items):
                    case (0, [a, *rest]):
                        seen.append(rest)""",
    "matched as the result of a call": """match of(items):
                    case [_, _]:
                        seen.append(2)""",
    "unpacked within": "(a, *rest), b = within; seen.append(rest)",
    "unpacked within a list": "(a, *rest), b = [items, 1]; seen.append(rest)",
    "unpacked within a list that has a name": "(a, *rest), b = held; seen.append(rest)",
    "unpacked from the result of a call": "a, *rest = of(items); seen.append(rest)",
    "unpacked within a loop": "for one, (a, *rest) in [within[::-1]]: seen.append(rest)",
    "unpacked in a loop over what holds it": "for a, *rest in within[:1]: seen.append(rest)",
    "assigned to a slice": "mine = [0]; mine[0:1] = items; seen.append(mine)",
    "assigned to a slice whose end is a variable": "mine = [0]; mine[:n] = items; seen.append(mine)",
    "iterated as the result of a call": "for it in of(items): seen.append(it)",
    "iterated by the name that it had": "for it in again(): seen.append(it)",
    "iterated by a comprehension": "seen.append([it for it in items])",
    "iterated by a generator": "seen.append(tuple(it for it in items))",
    "iterated by an iterator": "seen.append(tuple(iterator))",
    "delegated to": "seen.append(tuple(delegate(items)))",
    "looked for in the result of a call": "seen.append(3 in of(items))",
    "looked for in another": "seen.append([1, 2, 3] in [items])",
    "looked for in a chain": "seen.append(1 in items in [items])",
    "the truth of the result of a call": "items.clear(); seen.append(1 if of(items) else 2)",
    "measured as the result of a call": "seen.append(len(of(items)))",
    "sorted": "seen.append(sorted(items))",
    "given to a method of another": "mine = [0]; mine.extend(items); seen.append(mine)",
    "given to a class in C": "seen.append(collections.deque(items))",
    "counted": "seen.append(collections.Counter(items))",
    "asked by a method that has a name": "seen.append(counted(3))",
    "asked by a special method": "seen.append(items.__len__())",
    "within a tuple that is shown": "seen.append(str((1, items)))",
    "within a list that is shown": "seen.append(str([1, items]))",
    "compared within": "seen.append(within == 0 or within == ([1, 2], 1))",
    "shown as it comes from a queue": "seen.append(f'{given.get()}')",
    "sorted as it comes from a queue": "seen.append(sorted(given.get()))",
    "iterated as it comes from a queue": "for it in given.get(): seen.append(it)",
    "joined as both come from a queue": "seen.append(given.get() + given.get())",
    "joined as both come from calls": "seen.append(of(items) + of(other))",
    "compared as both come from calls": "seen.append(of(items) == of(other))",
    "joined as texts": "seen.append(''.join(map(str, items)))",
}


@pytest.mark.parametrize("line", READ_WHOLE.values(), ids=READ_WHOLE)
def test_both_orders_of_a_change_and_a_look_at_all_items_are_tried(explored, line):
    report = explored(
        f"""
        import collections, queue
        def count(*items):
            return len(items)
        def of(items):
            return items
        def delegate(items):
            yield from items
        def main():
            items, other, seen = [1, 2], [3], []
            within, n, iterator, counted = (items, 1), 1, iter(items), items.count
            held, again, given = [items, 1], lambda: items, queue.Queue()
            given.put(items)
            given.put(other)
            def look():
                {line}
            together(lambda: items.append(3), look)
            return repr(seen)
        """,
        search="all",
    )
    assert report.verdict == "held in all", str(report)
    assert report.races, str(report)


def test_a_race_that_does_no_harm_is_told_and_is_no_failure(explored):
    report = explored(
        """
        def main():
            account = Account(0)
            def tell():
                account.balance = 1
            def look():
                assert account.balance in (0, 1)
            together(tell, look)
        """
    )
    assert report.verdict == "held in all" and races(report) == {"account.balance"}
    assert "it does no harm" in str(report)


def test_an_exception_that_leaves_a_with_is_no_look_at_its_context_manager(explored):
    report = explored(
        """
        class Box(list):
            def __enter__(self):
                return self
            def __exit__(self, *_):
                return True
        def main():
            box = Box()
            def leave():
                with box:
                    raise ValueError
            together(lambda: box.append(1), leave)
        """
    )
    assert report.verdict == "held in all" and report.races == ()


def test_an_attribute_that_no_instruction_assigns_makes_it_held_so_far(explored):
    report = explored(
        """
        def main():
            account = Account(0)
            together(lambda: setattr(account, "oth" + "er", 1))
        """,
        schedules=500,
    )
    assert report.verdict == "held so far"
    assert any("setattr" in sentence for sentence in report.unseen)


def test_code_that_is_not_executed_makes_no_difference(explored):
    report = explored(
        """
        def never(account):
            vars(account).update(exec("1"))
            setattr(account, "other", account.__dict__)
        def main():
            account = Account(0)
            together(lambda: account.balance)
        """
    )
    assert report.verdict == "held in all", str(report)


LOOKS = """
        import functools, queue, dataclasses
        class Base(Account):
            balance = 2
        class Savings(Base):
            def of_base(self):
                return super().balance
        @dataclasses.dataclass
        class Record:
            number: int
        class Held:
            def __init__(self, items):
                self.items = items
        def main():
            seen, account, given, record = [], Savings(0), queue.Queue(), Record(1)
            iterator, held = iter([(1, 2)]), Held([1, 2])
            given.put([2, 1])
            def change():
                account.balance = record.number = 1
                held.items = [1, 2]
            def look():
                {line}
            together(look, change)
        """
FOLLOWED_BY_NOBODY = {
    "an attribute whose name is a value": "name = 'bal' + 'ance'; seen.append(getattr(account, name))",
    "an attribute of a base class": "seen.append(account.of_base())",
    "the pattern of a class": """match account:
                    case Account(balance=1):
                        seen.append(1)""",
    "what an iterator gives": "seen.append(f'{next(iterator)}')",
    "what an iterator gives is unpacked": "a, b = next(iterator)",
    "what an iterator gives is looked through": "for it in next(iterator): seen.append(it)",
    "a nested pattern of a class": """match held:
                    case Held(items=[a, b]):
                        seen.append(a)""",
}


@pytest.mark.parametrize("line", FOLLOWED_BY_NOBODY.values(), ids=FOLLOWED_BY_NOBODY)
def test_what_can_t_be_followed_is_tried_before_and_after_everything_else(explored, line):
    report = explored(LOOKS.format(line=line))
    assert report.verdict == "held in all", str(report)
    assert report.in_all > explored(LOOKS.format(line="pass")).in_all


UNFOLLOWED = {
    "a method of a list that an iterator calls": "list(map(seen.append, [1]))",
    "a method of a list that the library calls": "functools.reduce(seen.insert, [0, 1])",
    "the comparison of a dataclass": "seen.append(record == Record(1))",
    "the text of a dataclass": "seen.append(f'{record}')",
}


@pytest.mark.parametrize("line", UNFOLLOWED.values(), ids=UNFOLLOWED)
def test_what_can_t_be_followed_is_named_with_its_line(explored, line):
    report = explored(LOOKS.format(line=line), schedules=500)
    assert report.verdict == "held so far", str(report)
    assert any("program.py:" in sentence for sentence in report.unseen), report.unseen


def test_an_instruction_that_is_not_known_is_named(explored, monkeypatch):
    monkeypatch.setattr(opcodes, "KNOWN", opcodes.KNOWN - {"COMPARE_OP"})
    report = explored("def main():\n    return 1 < len('ab')", schedules=500)
    assert report.verdict == "held so far"
    assert any("COMPARE_OP" in sentence for sentence in report.unseen)


def test_all_instructions_of_this_python_are_known():
    assert {name for name in dis.opmap if not name.startswith("INSTRUMENTED_")} <= opcodes.KNOWN


CHANGED = {
    "an iterator": "next(iterator)",
    "an iterator of something new": "next(numbers)",
    "a generator of random numbers": "random.random()",
    "an object of a class of the library": "drawn.randrange(1000)",
    "an array": "numbers_of.pop()",
    "a list whose method has a name": "pop()",
}


@pytest.mark.parametrize("expression", CHANGED.values(), ids=CHANGED)
def test_both_orders_of_two_changes_are_tried(explored, expression):
    report = explored(
        f"""
        import array, itertools, random
        def main():
            iterator, numbers, shared, found = iter([1, 2]), itertools.count(), [1, 2], [None, None]
            numbers_of, pop, drawn = array.array("i", [1, 2]), shared.pop, random.Random(0)
            def one():
                found[0] = {expression}
            def two():
                found[1] = {expression}
            together(one, two)
            return found[0] < found[1]
        """,
        search="all",
    )
    assert report.verdict == "held in all" and set(report.outcomes) == {True, False}, str(report)


SHARED_GENERATOR = """
        def numbers():
            number = 0
            while True:
                number += 1
                yield number
        def main():
            generator = numbers()
            together(lambda: next(generator), lambda: next(generator))
        """


def test_a_generator_that_two_tasks_share_is_named(explored):
    report = explored(SHARED_GENERATOR, search="all")
    assert report.verdict == "held so far"
    assert any("share a generator" in sentence for sentence in report.unseen)


def test_a_generator_that_two_tasks_advance_at_once_is_found(explored):
    report = explored(SHARED_GENERATOR)
    assert report.verdict == "broken" and "generator already executing" in str(report)


def test_a_global_variable_is_an_attribute_of_its_module_elsewhere(explored, tmp_path):
    (tmp_path / "state.py").write_text("number = 0\ndef count():\n    global number\n    number += 1\n")
    report = explored(
        """
        import state
        def main():
            def set_it():
                state.number = 5
            together(state.count, set_it)
            return state.number
        """,
        search="all",
    )
    assert report.verdict == "held in all" and set(report.outcomes) == {1, 5, 6}, str(report)


def test_the_smallest_sum_of_two_loops_is_two(explored):
    """Two threads count to three in one number without a lock: random schedules never show that 2 is possible."""
    report = explored(
        """
        number = 0
        def count():
            global number
            for _ in range(3):
                number += 1
        def main():
            together(count, count)
            assert number > 2
        """,
        search="all",
        schedules=100_000,
    )
    assert report.verdict == "broken", str(report)


def test_plain_code_is_torn_by_the_language_and_not_by_the_gil(explored):
    counter = """
        number = 0
        def count():
            global number
            number += 1
        def main():
            together(count, count)
            return number
        """
    assert set(explored(counter, switches="gil").outcomes) == {2}
    assert set(explored(counter).outcomes) == {1, 2}
    called = counter.replace("number += 1", "number = max(number + 1, 0)")
    assert set(explored(called, switches="gil").outcomes) == {1, 2}


def test_another_tool_that_monitors_is_refused(explored):
    sys.monitoring.use_tool_id(sys.monitoring.COVERAGE_ID, "coverage")
    try:
        with pytest.raises(CannotExplore, match="coverage is monitoring this process.*COVERAGE_CORE=ctrace"):
            explored("def main():\n    pass")
    finally:
        sys.monitoring.free_tool_id(sys.monitoring.COVERAGE_ID)


def test_the_bodies_of_modules_and_classes_are_one_step(explored):
    report = explored(
        """
        number = 0
        number += 1
        class Body:
            number = 0
            number += 1
        def main():
            return number
        """,
        search="all",
    )
    assert report.failure is None and report.schedules == 2
