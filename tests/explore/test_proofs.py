"""Proofs that were not earned, of the complete search alone: the samples would have found what these programs do wrong.

In a larger program they might not, so nothing may be held in all by the one that the other finds broken.
"""

import textwrap

import pytest

from concmodels.explore import explore

HEAD = """
    import calendar, collections, contextlib, functools, io, itertools, logging, operator, threading, weakref

    class Box:
        n = 0

        @functools.cache
        def cached(self):
            Box.n = Box.n + 1

    class Key:
        def __init__(self, it):
            self.it = it
        def __lt__(self, other):
            return self.it < other.it
        def __call__(self, it):
            return it
        def __str__(self):
            return str(self.it)

    class Sequence:
        def __getitem__(self, number):
            if number > 1:
                raise IndexError
            return number

    def two():
        yield 1
        yield 2

    def same(it):
        return it

    key, cached, box = Key(1), functools.cache(same), Box()

    def main():
        box, items, names, words = Box(), [2, 1], {}, collections.UserDict()
        box.n = 0
        %s

        def work():
            %s

        thread = threading.Thread(target=work)
        thread.start()
        assert %s
        thread.join()
"""
PROGRAMS = {
    "setattr": ("", "setattr(box, 'n', 1)", "box.n == 0"),
    "delattr": ("", "delattr(box, 'n')", "'n' in box.__dict__"),
    "another name for setattr": ("put = setattr", "put(box, 'n', 1)", "box.n == 0"),
    "another name for getattr": ("get = getattr", "box.n = 1", "get(box, 'n') == 0"),
    "what an object of the library holds": ("", "words[1] = 2", "not words.data"),
    "a method as a function": ("", "list.append(items, 3)", "len(items) == 2"),
    "a sort by a class": ("", "items.sort(key=Key)", "len(items) == 2"),
    "a sort by an object": ("", "items.sort(key=key)", "len(items) == 2"),
    "a sort by a function with a cache": ("", "items.sort(key=cached)", "len(items) == 2"),
    "a sort by a method of the items": ("items = [Key('b'), Key('a')]", "items.sort(key=str)", "len(items) == 2"),
    "a sort by a method that is named": (
        "items = [Key('b'), Key('a')]", "items.sort(key=operator.methodcaller('__str__'))", "len(items) == 2"
    ),
    "a class for each item": ("", "items.extend(map(Key, [1, 2]))", "len(items) in (2, 4)"),
    "a class for each item, kept": ("more = map(Key, [1, 2])", "items.extend(more)", "len(items) in (2, 4)"),
    "an object for each item": ("more = map(key, [1, 2])", "items.extend(more)", "len(items) in (2, 4)"),
    "a chain of a generator": ("more = itertools.chain(itertools.chain(two()))", "items.extend(more)",
                               "len(items) in (2, 4)"),
    "a generator that a call has returned": ("", "items.extend(same(two()))", "len(items) in (2, 4)"),
    "a sequence of the program": ("more = Sequence()", "items.extend(more)", "len(items) in (2, 4)"),
    "a buffer that has two names": (
        "items = bytearray(8); numbers = memoryview(items).cast('I')", "numbers[0] = 1", "items[0] == 0"
    ),
    "an argument of a method of something new": (
        "items = bytearray(b'aa')", "io.BytesIO(b'bb').readinto(items)", "items[0] != 98"
    ),
    "a weak reference": (
        "held = [Box()]; ref = weakref.ref(held[0])", "held.clear()", "(ref() is None) == (ref() is None)"
    ),
    "a dictionary of weak references": (
        "held = [Box()]; refs = weakref.WeakValueDictionary(a=held[0])", "held.clear()",
        "('a' in refs) == ('a' in refs)",
    ),
    "two iterators of one": (
        "seen = []; one, other = itertools.tee(map(seen.append, [1, 2]))", "next(one)", "not seen",
    ),
    "a setting that a logger looks up": (
        "log = logging.getLogger('x'); log.setLevel(10); logging.disable(0)", "logging.disable(50)",
        "log.isEnabledFor(20)",
    ),
    "a setting that is a method": (
        "calendar.setfirstweekday(0)", "calendar.setfirstweekday(3)", "calendar.firstweekday() == 0"
    ),
    "a method with a cache": ("", "box.cached()", "Box.n == 0"),
    "a key of a sort, as the body of a thread": (
        "", "other = threading.Thread(target=items.sort, kwargs={'key': same}); other.start(); other.join()",
        "len(items) == 2",
    ),
    "a generator, as the body of a thread": (
        "", "other = threading.Thread(target=items.extend, args=(two(),)); other.start(); other.join()",
        "len(items) in (2, 4)",
    ),
    "a method of the library, as the body of a thread": (
        "", "other = threading.Thread(target=words.__setitem__, args=(1, 2)); other.start(); other.join()",
        "not words.data",
    ),
    "a function that is a class, as the body of a thread": (
        "it = iter(items)", "other = threading.Thread(target=list, args=(it,)); other.start(); other.join()",
        "next(it) == 2",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_complete_search_alone_proves_nothing_that_can_fail(tmp_path, name):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(HEAD % PROGRAMS[name]))
    report = explore(str(path), search="all", schedules=500, seconds=60.0)
    assert report.verdict != "held in all", str(report)


RIGHT = {
    "a sort": "items.sort(key=same)",
    "an iterator": "items.extend(map(Key, [1, 2]))",
    "a factory": "more[1].append(1)",
    "setattr": "setattr(box, 'n', box.n + 1)",
    "a method as a function": "list.append(items, 3)",
    "a weak reference": "ref()",
}
LOCKED = """
        lock = threading.Lock()
        more = collections.defaultdict(lambda: [])
        ref = weakref.ref(box)
"""


@pytest.mark.parametrize("name", RIGHT)
def test_under_a_lock_they_are_proved(tmp_path, name):
    path = tmp_path / "program.py"
    work = f"with lock: {RIGHT[name]}"
    path.write_text(textwrap.dedent(HEAD % (LOCKED.strip(), work, "not lock.acquire() or lock.release() is None")))
    report = explore(str(path), search="all", schedules=500, seconds=60.0)
    assert report.verdict == "held in all", str(report)


VOTE = """
    import collections, threading

    def main():
        votes, lock, winner = collections.Counter(), threading.Lock(), []

        def vote(who):
            with lock:
                votes[who] += 1
            with lock:
                if votes.total() == 3 and not winner:
                    winner.append(votes.most_common(1)[0][0])

        threads = [threading.Thread(target=vote, args=(who,)) for who in "aba"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert winner == ["a"]
"""


def test_an_item_of_what_is_not_known_is_no_variable(tmp_path):
    """Each order of six sections under a lock, and no more: reading the lock's own name comes in between nothing."""
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(VOTE))
    assert explore(str(path), search="all", schedules=500, seconds=60.0).in_all == 90


@pytest.mark.parametrize("where", ["box.lock", "lock"])
def test_the_variable_of_a_lock_is_out_of_reach_for_what_is_called_under_it(tmp_path, where):
    path = tmp_path / "program.py"
    text = f"""
        import copy, threading

        class Box:
            def __init__(self):
                self.lock = threading.Lock()
                self.one = self.other = 0

            def __getstate__(self):
                return self.one, self.other

            def __setstate__(self, state):
                assert state in ((0, 0), (1, 1))

        def main():
            box, lock = Box(), threading.Lock()

            def look():
                with {where}:
                    copy.copy(box)

            thread = threading.Thread(target=look)
            thread.start()
            with {where}:
                box.one = 1
                box.other = 1
            thread.join()
    """
    path.write_text(textwrap.dedent(text))
    report = explore(str(path), schedules=300)
    assert report.verdict == "held in all", report
    path.write_text(
        textwrap.dedent(text.replace(f"with {where}:\n                    copy", "if True:\n                    copy"))
    )
    assert explore(str(path), schedules=300).verdict == "broken"
