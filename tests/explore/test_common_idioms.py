"""Idioms of Python programs, each with and without its mistake: the one has to be proved, the other one found."""

import os
import textwrap

import preloaded
import pytest
import suites

from concmodels.explore import explore

HEAD = "import collections, functools, operator, queue, threading, time\n\nlock = threading.Lock()\n"
TOGETHER = """
def together(*functions):
    threads = [threading.Thread(target=it, name=str(number)) for number, it in enumerate(functions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""
PAIRS = {
    "a class makes its only object, which others see when it is whole": (
        """
        class Log:
            only = None
            def __new__(cls):
                if cls.only is None:
                    with lock:
                        if cls.only is None:
                            made = super().__new__(cls)
                            {}
                return cls.only

        def main():
            together(*2 * [lambda: Log().lines.append(1)])
            assert Log().lines == [1, 1]
        """,
        "made.lines = []; cls.only = made",
        "cls.only = made; made.lines = []",
    ),
    "a method calls that of the base class": (
        """
        class Base:
            def add(self, n):
                self.n += n

        class Account(Base):
            def __init__(self):
                self.n = 0
            def add(self, n):
                {}

        def main():
            account = Account()
            together(*2 * [lambda: account.add(1)])
            assert account.n == 2
        """,
        "with lock: super().add(n)",
        "super().add(n)",
    ),
    "a program waits until no other thread is left": (
        """
        done = []

        def main():
            for number in range(2):
                threading.Thread(target=lambda: done.append(1)).start()
            while threading.active_count() > {}:
                time.sleep(0.1)
            assert done == [1, 1]
        """,
        "1",
        "2",
    ),
    "a program waits for all threads that there are": (
        """
        done = []

        def main():
            for number in range(2):
                threading.Thread(target=lambda: done.append(1)).start()
            for thread in {}:
                if thread is not threading.main_thread():
                    thread.join()
            assert done == [1, 1]
        """,
        "threading.enumerate()",
        "threading.enumerate()[:2]",
    ),
    "a thread sees that another one has ended": (
        """
        def main():
            seen = []
            together(*2 * [lambda: seen.append(threading.active_count())])
            assert sorted(seen) in {}
        """,
        "([2, 2], [2, 3], [3, 3])",
        "([2, 3], [3, 3])",
    ),
    "a function that is given its first argument calls the program": (
        """
        class Account:
            amount = 0
            def add(self, n):
                self.amount += n

        account = Account()
        hooks = [functools.partial(account.add, 1)]

        def main():
            def run():
                for hook in hooks:
                    {}hook()
            together(run, run)
            assert account.amount == 2
        """,
        "with lock: ",
        "",
    ),
    "a function that is given its first argument adds": (
        """
        box, add = {"n": 0}, functools.partial(operator.add, 1)

        def main():
            def work():
                {}box["n"] = add(box["n"])
            together(work, work)
            assert box["n"] == 2
        """,
        "with lock: ",
        "",
    ),
    "counts are added to those of others": (
        """
        words = collections.Counter()

        def count(text):
            found = collections.Counter(text.split())
            {}words.update(found)

        def main():
            together(lambda: count("a b"), lambda: count("b c"))
            assert words == {"a": 1, "b": 2, "c": 1}
        """,
        "with lock: ",
        "",
    ),
    "attributes get names that are computed": (
        """
        class Config:
            def __init__(self, **values):
                self.update(values)
            def update(self, values):
                {}self.set(values)
            def set(self, values):
                for name, value in values.items():
                    setattr(self, name, value)
            def area(self):
                with lock:
                    return self.width * self.height

        def main():
            config, found = Config(width=1, height=1), []
            together(lambda: config.update({"width": 2, "height": 2}), lambda: found.append(config.area()))
            assert found[0] in (1, 4)
        """,
        "with lock: ",
        "",
    ),
    "an attribute is made when it is read for the first time": (
        """
        class Lazy:
            made = 0
            def __getattr__(self, name):
                with lock:
                    {}
                    self.made += 1
                    setattr(self, name, name.upper())
                    return self.__dict__[name]

        def main():
            lazy, found = Lazy(), []
            together(*2 * [lambda: found.append(lazy.plugin)])
            assert found == ["PLUGIN"] * 2 and lazy.made == 1
        """,
        "if name in self.__dict__: return self.__dict__[name]",
        "",
    ),
    "all queues of a set get a message": (
        """
        class Hub:
            def __init__(self):
                self.queues = set()
            def listen(self):
                made = queue.Queue()
                with lock:
                    self.queues.add(made)
                return made
            def publish(self, message):
                {}
                for it in queues:
                    it.put(message)

        def main():
            hub, got = Hub(), []
            queues = [hub.listen() for _ in range(2)]
            together(lambda: hub.publish(1), hub.listen, *(lambda it=it: got.append(it.get()) for it in queues))
            assert got == [1, 1]
        """,
        "with lock: queues = set(self.queues)",
        "queues = self.queues",
    ),
    "an object counts by a hook how often its attributes are set": (
        """
        class Counting:
            def __init__(self):
                {base}.__setattr__({self}"changes", 0)
            def __setattr__(self, name, value):
                {base}.__setattr__({self}name, value)
                {base}.__setattr__({self}"changes", {base}.__getattribute__({self}"changes") + 1)

        def main():
            it = Counting()
            def one():
                {}it.x = 1
            def other():
                {}it.y = 2
            together(one, other)
            assert it.changes == 2
        """,
        "with lock: ",
        "",
    ),
}
for base, me in (("super()", ""), ("super(Counting, self)", ""), ("object", "self, ")):
    name = "an object counts by a hook how often its attributes are set"
    text, *how = PAIRS[name]
    PAIRS[f"{name}, by {base}"] = (text.replace("{base}", base).replace("{self}", me), *how)
del PAIRS[name]


@pytest.mark.parametrize("name", PAIRS)
def test_an_idiom_is_proved_and_its_mistake_is_found(tmp_path, name):
    text, right, wrong = PAIRS[name]
    path = tmp_path / "program.py"
    how = {"cwd": tmp_path, "env": os.environ | {"PYTHONPATH": str(suites.ROOT)}, "imports": suites.IMPORTS}
    path.write_text(HEAD + TOGETHER + textwrap.dedent(text).replace("{}", right))
    report = explore(str(path))
    assert report.verdict == "held in all", report
    path.write_text(HEAD + TOGETHER + textwrap.dedent(text).replace("{}", wrong))
    report = explore(str(path))
    assert report.verdict == "broken", report
    assert report.failure is not None and report.schedules <= 200, report
    replayed = (path, "--quiet", "--replay", report.failure.replay_id)
    status, out = preloaded.run("concmodels.explore", *replayed, **how)
    assert (status, out) == (1, "program.py: broken, on schedule 1\n"), "in another process"
    assert explore(str(path), search="all").verdict != "held in all", "by the complete search"
