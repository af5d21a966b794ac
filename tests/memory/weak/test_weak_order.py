"""The library's own classes on a memory that reorders as ARM may: nothing is lost with their fences, and all without.

`make test` searches the smallest programs to the end, and draws a sample of the others. With `--thorough` more of them
come to an end, and the samples are large.
"""

import pytest
from weak_mutants import mutants
from weak_programs import PROGRAMS
from weak_search import Search

from concmodels.errors import Deadlock

IN_ALL = {
    "one_word", "one_word_iterated", "closed_while_sending", "closed_as_a_property",
    "cancelled_while_receiving", "a_limit_is_noted", "struck_while_it_waits", "a_result", "done_is_asked",
    "a_settled_task", "a_group_is_left", "a_run_is_broken_off", "places_are_told", "a_deadlock_is_concluded",
    "a_worker_is_unfit", "a_worker_starts_while_the_pool_closes", "what_a_worker_can_not_read",
    "marked_for_the_supervisor", "a_slot_is_taken",
}  # fmt: skip
"""The programs that are searched to the end."""

LOST = {
    "two_senders_and_receivers": "a receiver that sees that it was taken out of the list, and no item yet, waits again"
}
"""What only the large sample finds. The wake-up that it gets then is another receiver's, which waits beside an item."""

MOST, SAMPLE = 400, 30
MOST_THOROUGH, SAMPLE_THOROUGH = 8000, 3000

FOUND_BY = {
    "Channel.send: self._ordered": "words_through_two_places",
    "Channel.send: self._free_send": "words_unbounded",
    "Channel._send_other: self._ordered": "texts",
    "Channel._send_other: self._free_send": "texts_in_a_small_ring",
    "Channel._append: with": "one_word",
    "Channel._append_now: self._ordered[TAIL]": "one_word",
    "Channel._append_now: self._ordered[HEAD]": "words_through_one_place",
    "Channel.receive": "words_through_two_places",
    "Channel.__iter__: ordered[head_at] (0)": "two_join_the_waiters_and_one_iterates",
    "Channel.__iter__: ordered[head_at] (1)": "words_iterated",
    "Channel.__iter__: ordered[tail_at]": "closed_while_iterating",
    "Channel.__iter__: free_claim": "one_word_iterated",
    "Channel._wait_for_item: self._ordered": "two_join_the_waiters",
    "Channel._wait_for_item: self._free_claim": "one_word",
    "Channel._take:": "closed_while_receiving",
    "Channel._take_payload": "words_through_one_place",
    "Channel.close:": "closed_while_iterating",
    "Channel.closed": "closed_as_a_property",
    "ChannelMemory._look": "one_word",
    "ChannelMemory._store": "texts_in_a_small_ring",
    "ChannelMemory._unload": "texts_in_a_small_ring",
    "send: channel._ordered": "traced",
    "send: channel._free_send": "two_sends_traced",
    "receive: channel": "traced",
    "_take: channel": "traced",
    "cancel: participant.ordered[scope": "cancelled_while_receiving",
    "cancel: participant.ordered[CANCELS": "cancelled_while_receiving",
    "Participant.cancelled": "cancelled_while_receiving",
    "finish": "a_result",
    "Task.done": "done_is_asked",
    "Task.settle": "a_settled_task",
    "TaskGroup._begin_limit": "a_limit_is_noted",
    "TaskGroup.__exit__": "struck_at_its_end",
    "TaskGroup._must_wait: self.participant.ordered[BROKEN]": "a_run_is_broken_off",
    "TaskGroup._must_wait: self.participant.ordered[self._at + LIVE]": "a_task_fails_as_the_time_is_over",
    "Supervisor.break_off": "a_slot_is_taken_as_a_run_is_broken_off",
    "Channel.__len__": "a_length",
    "local_slot": "a_slot_is_taken",
    "Supervisor.all_gone": "a_run_is_broken_off",
    "Supervisor._strike_limits": "a_limit_is_noted",
    "Supervisor._tell_cancelled": "two_are_cancelled",
    "DeadlockDetector._conclude": "a_deadlock_is_concluded",
    "places": "places_are_told",
    "tell": "places_are_told",
    "Worker.begin": "a_worker_is_unfit",
    "Worker.work: with": "a_call_that_is_watched",
    "Worker.work: self": "a_call",
    "Worker.wait_for_work: self.ordered[GIVEN] (0)": "a_call",
    "Worker.wait_for_work: self.ordered[GIVEN] (1)": "a_call_that_is_looked_for",
    "Worker._block_for_work": "a_call",
    "Worker._do_each: with": "a_call_is_taken_back",
    "Worker._do_each: ordered": "a_call",
    "Worker._sent": "a_text_larger_than_the_ring",
    "WorkerHandle.has_ended": "a_worker_ends",
    "WorkerHandle.initializer_error": "a_worker_is_unfit",
    "WorkerHandle.close": "a_worker_starts_while_the_pool_closes",
    "WorkerHandle.watch": "a_call_that_is_watched",
    "WorkerHandle.give": "a_call",
    "WorkerHandle.begun": "what_a_worker_can_not_read",
    "WorkerHandle.take_back": "a_call_is_taken_back",
    "WorkerHandle.collect: self.ordered[LEFT]": "a_call",
    "WorkerHandle.collect: self.ordered[ENDED]": "a_call",
    "WorkerHandle.collect: self.ordered[HEAD]": "texts_in_a_narrow_ring",
    "WorkerHandle._drain": "a_text_larger_than_the_ring",
    "with: the release": "one_word",
}
"""By the begin of its name: the program in which a mutant, the library with one fence less, goes wrong."""


IN_TURNS = {
    "Channel.__iter__: ordered[head_at] (0)": (
        ("iterate", 12), ("receive", 20), ("iterate", 12), ("send", None), ("receive", None),
    ),
}  # fmt: skip
"""A mutant that no sample of seconds shows: the turns in which the threads have to run, and at most how many steps."""


FIRST = {"Channel.__iter__: ordered[head_at] (0)": 1400, "Channel._wait_for_item: self._ordered[HEAD] (0)": 1130}
"""Where to begin with the samples of a mutant that the first ones don't show. If the next fifty don't show it either,
the library has changed: then all are tried, which takes seconds.
"""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_holds(name, thorough):
    most, sample = (MOST_THOROUGH, SAMPLE_THOROUGH) if thorough else (MOST if name in IN_ALL else 0, SAMPLE)
    result = Search(PROGRAMS[name], most, sample).result()
    print(f"{name}: {result}")
    if thorough and name in LOST:
        assert isinstance(result.error, Deadlock)
        pytest.xfail(LOST[name])
    if result.error is not None:
        raise result.error
    assert result.in_all or name not in IN_ALL


@pytest.mark.parametrize("mutant", mutants(), ids=repr)
def test_every_fence_is_needed(mutant):
    name = next(program for begin, program in FOUND_BY.items() if repr(mutant).startswith(begin))
    with mutant.applied():
        turns, first = IN_TURNS.get(repr(mutant), ()), FIRST.get(repr(mutant), 0)
        result = Search(PROGRAMS[name], 0, 50, turns=turns, first=first).result()  # most are found by a few
        if result.error is None:
            result = Search(PROGRAMS[name], 0 if turns else MOST, 4000, turns=turns).result()
    print(f"{mutant!r}: {name} {result}")
    assert result.error is not None, f"{name} holds without the fence"


def test_no_line_of_the_table_is_for_nothing():
    names = [repr(mutant) for mutant in mutants()]
    assert len(names) > 50
    assert not [begin for begin in FOUND_BY if not any(name.startswith(begin) for name in names)]
