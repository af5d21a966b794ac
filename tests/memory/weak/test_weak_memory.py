"""The simulated memory itself: what it lets a program see, and what it does not."""

import pytest
from weak_library import PAYLOAD
from weak_machine import Fence, Race
from weak_search import Search

from concmodels.platform import memory

X, Y = PAYLOAD, PAYLOAD + 1


def seen(*bodies, shared=(X, Y)):
    """What the threads return, in all executions."""

    def program(library):
        words, found = library.home.words, {}

        def body(number):
            def run():
                found[number] = bodies[number](words, memory.ordered(words), Fence(library.machine))

            return run

        for number in range(len(bodies)):
            library.machine.start(str(number), body(number))
        return lambda: tuple(found[number] for number in range(len(bodies)))

    result = Search(program, 5000, shared=lambda at: at in shared, unlocked=shared.__contains__).result()
    assert result.in_all or result.error is not None
    return result.outcomes if result.error is None else result.error


def store_two(publishing):
    def store(words, ordered, _fence):
        words[X] = 1
        (ordered if publishing else words)[Y] = 1

    return store


def load_two(consuming):
    def load(words, ordered, _fence):
        return (ordered if consuming else words)[Y], words[X]

    return load


@pytest.mark.parametrize(("publishing", "consuming"), [(True, True), (True, False), (False, True)])
def test_two_stores_arrive_in_the_wrong_order_unless_both_sides_have_a_fence(publishing, consuming):
    loaded = {outcome[1] for outcome in seen(store_two(publishing), load_two(consuming))}
    assert loaded == {(0, 0), (0, 1), (1, 1)} | (set() if publishing and consuming else {(1, 0)})


@pytest.mark.parametrize("fences", [0, 1, 2])
def test_two_that_store_and_look_miss_each_other_unless_both_have_a_full_fence(fences):
    def side(mine, others, has_fence):
        def run(words, _ordered, fence):
            words[mine] = 1
            if has_fence:
                with fence:
                    pass
            return words[others]

        return run

    assert ((0, 0) in seen(side(X, Y, fences > 0), side(Y, X, fences > 1))) == (fences < 2)


def test_publishing_and_consuming_is_no_full_fence():
    def side(mine, others):
        def run(_words, ordered, _fence):
            ordered[mine] = 1
            return ordered[others]

        return run

    assert (0, 0) in seen(side(X, Y), side(Y, X))


def test_a_word_never_goes_back():
    def store(words, _ordered, _fence):
        words[X] = 1
        words[X] = 2

    outcomes = seen(store, lambda words, _ordered, _fence: (words[X], words[X]))
    assert {loaded for _, loaded in outcomes} == {(a, b) for a in range(3) for b in range(a, 3)}


def test_a_mark_is_not_taken_back_before_what_it_stands_for_is_seen():
    """As a cancellation and the supervisor: whose store comes last has, behind a fence, all before the other's."""

    def mark(words, ordered, _fence):
        words[X] = 1
        ordered[Y] = 1

    def take_back(words, _ordered, fence):
        words[Y] = 2
        with fence:
            pass
        return words[X]

    def program(library):
        words, found = library.home.words, []
        library.machine.start("mark", lambda: mark(words, memory.ordered(words), None))
        library.machine.start("take back", lambda: found.append(take_back(words, None, Fence(library.machine))))
        return lambda: (words[Y], found[0])

    result = Search(program, 5000, shared=(X, Y).__contains__, unlocked=(X, Y).__contains__).result()
    assert result.in_all and result.outcomes == {(1, 0), (1, 1), (2, 1)}


def stored_by_two(unlocked):
    """Two threads that store two words, each in another order; return what is there in the end, in all executions."""

    def program(library):
        words = library.home.words

        def store(first, second):
            words[first] = 1
            words[second] = 2

        library.machine.start("one", lambda: store(X, Y))
        library.machine.start("other", lambda: store(Y, X))
        return lambda: (words[X], words[Y])

    return Search(program, 5000, shared=(X, Y).__contains__, unlocked=unlocked).result()


def test_no_store_falls_behind_a_later_one_of_another_thread_though_arm_allows_it():
    """Both words could be 1 on ARM: what the head of `weak_machine.py` says that this memory can't do."""
    result = stored_by_two((X, Y).__contains__)
    assert result.in_all and result.outcomes == {(1, 2), (2, 1), (2, 2)}


def test_so_two_threads_store_a_word_only_under_a_lock_in_common():
    assert isinstance(stored_by_two(lambda _: False).error, Race)


def test_what_is_loaded_without_any_order_is_found():
    assert isinstance(seen(store_two(True), load_two(True), shared=()), Race)
    assert isinstance(seen(store_two(True), load_two(False), shared=(Y,)), Race)


def test_what_one_lock_guards_is_in_order():
    def program(library):
        words, lock = library.home.words, library.home.arena.claim

        def count():
            with lock:
                words[X] += 1

        for name in "ab":
            library.machine.start(name, count)
        return lambda: words[X]

    result = Search(program, 5000, shared=lambda _: False).result()
    assert result.in_all and result.outcomes == {2}
