"""Variables of functions that were called twice, and what a decorator sets up before there are threads."""

import textwrap

import pytest

from concmodels.explore import explore

RUN = """
    import functools
    import threading

    lock = threading.Lock()

    def run(*jobs):
        threads = [threading.Thread(target=job) for job in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def counter():
        count = 0

        def add():
            nonlocal count
            count += 1

        def add_alone():
            nonlocal count
            with lock:
                count += 1

        return add, add_alone, lambda: count

    def decorated(function):
        @functools.wraps(function)
        def call():
            with lock:
                function()

        @functools.wraps(function)
        def call_without():
            function()

        return call, call_without

    class Account:
        pass

    def set_up(account):
        for name in ("balance", "limit"):
            setattr(account, name, 0)
"""
PAIRS = {
    "two counters, and two threads at one of them": (
        """
        def main():
            (add, add_alone, value), _ = counter(), counter()
            run({}, {})
            assert value() == 2
        """,
        "add",
        "add_alone",
    ),
    "two counters, and a thread at each": (
        """
        def main():
            (one, _, first), (two, _, second) = counter(), counter()
            run(one, {})
            assert first() + second() == 2
        """,
        "one",
        "two",
    ),
    "functools.wraps": (
        """
        total = 0

        def add():
            global total
            total += 1

        def main():
            call, call_without = decorated(add)
            run({}, {})
            assert total == 2
        """,
        "call_without",
        "call",
    ),
    "setattr before there are threads": (
        """
        def main():
            account = Account()
            set_up(account)

            def pay():
                {}
                    account.balance += 1

            run(pay, pay)
            assert account.balance == 2
        """,
        "if True:",
        "with lock:",
    ),
}


def judged(folder, text):
    path = folder / "program.py"
    path.write_text(textwrap.dedent(RUN) + textwrap.dedent(text))
    return explore(str(path), schedules=2000, seconds=50)


@pytest.mark.parametrize("name", PAIRS)
def test_the_broken_one_is_found_and_the_other_is_proved(tmp_path, name):
    text, broken, fixed = PAIRS[name]
    report = judged(tmp_path, text.format(broken, broken))
    assert report.verdict == "broken", report
    report = judged(tmp_path, text.format(fixed, fixed))
    assert report.verdict == "held in all" and not report.races, report


def test_what_a_thread_sets_under_a_name_that_no_instruction_has_is_no_proof(tmp_path):
    report = judged(
        tmp_path,
        """
        def main():
            account = Account()
            account.log = []

            def look():
                account.log.append(getattr(account, "bal" + "ance", 0))

            run(functools.partial(set_up, account), look)
        """,
    )
    assert report.verdict == "held so far" and "what setattr accesses can't be found out" in str(report), report


def test_a_comparison_that_setattr_gives_to_a_class_is_no_proof(tmp_path):
    report = judged(
        tmp_path,
        """
        def main():
            setattr(Account, "__lt__", lambda self, other: False)
            accounts, seen = [Account(), Account()], []
            run(accounts.sort, lambda: seen.append(len(accounts)))
        """,
    )
    assert report.verdict == "held so far", report


def test_the_variable_of_a_function_that_is_not_explored_itself():
    """Both siblings access the one variable of this test function."""
    count = 0

    def add():
        nonlocal count
        count += 1

    def add_too():
        nonlocal count
        count += 1

    def main(model):
        nonlocal count
        count = 0
        with model.TaskGroup() as group:
            group.spawn(add)
            group.spawn(add_too)
        assert count == 2

    assert explore(main, schedules=2000).verdict == "broken"
