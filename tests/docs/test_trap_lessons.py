"""What the pages of the cooperative models say about a trap is still what its program shows.

The pages print what a program prints; their sentences about it would go stale without a word.
"""

import pytest
from trap_programs import TRAPS, ran

from concmodels import catalog

pytestmark = pytest.mark.docs

LESSONS = {
    "greenlet_blocks_all": ["model's sleep: some", "time.sleep: none"],
    "greenlet_other_thread": ["another thread: greenlet.error", "own thread: it runs"],
    "greenlet_dead": [
        "second: what does a hop cost?",
        'with another parent: the mother got "the answer',
        "once it is dead: the mother got 'what does",
    ],
    "greenlet_error_to_parent": ["caught in main: no such file"],
    "greenlet_deep_start": ["first entered 0 calls deep: 700 calls", "first entered 600 calls deep: RecursionError"],
    "greenlet_context": ["in a greenlet: nobody", "in an asyncio task: Ada"],
    "tasklets_order": ["tasklets: send 0, got 0, ", "greenlet: send 0, sent 0, "],
    "tasklets_last_one": ["Stackless: Deadlock", "the model: all tasks are waiting"],
    "gevent_blocking": ["gevent.sleep: the other one, then back", "time.sleep: back from the pause, then"],
    "gevent_not_patched": ["time.sleep: some", "usleep in C: none"],
    "gevent_late_patch": ["time.sleep is gevent's", "imported before is the operating system's"],
    "gevent_kill": ["successful: True"],
    "gevent_lost_error": ["joinall returned", "raise_error=True: the disk is full"],
    "gevent_timeout": ["not handled: "],
    "gevent_nobody": ["gevent: LoopExit", "eventlet: still waiting"],
    "eventlet_warning": ["EventletDeprecationWarning:"],
    "eventlet_no_deadlock": ["left: receive on channel 'first'", "right: receive on channel 'second'"],
    "eventlet_two_readers": ["RuntimeError: Second simultaneous read"],
    "eventlet_asyncio_hub": ["epolls: 42", "asyncio: RuntimeError"],
    "eventlet_late_patch": [
        "RLock before patching is one of: _thread",
        "RLock after patching is one of: threading",
        "Lock after patching is one of: _thread",
    ],
    "asyncio_blocking": ["time.sleep: none", "to_thread(time.sleep): some"],
    "asyncio_to_thread": [
        "asyncio: the task ended before its thread",
        "asyncio.run has waited for the thread: True",
        "trio, abandon_on_cancel=False: the task ended after its thread",
        "anyio, abandon_on_cancel=False: the task ended after its thread",
        "trio, abandon_on_cancel=True: the task ended before its thread",
        "anyio, abandon_on_cancel=True: the task ended before its thread",
    ],
    "asyncio_lost_item": ["by hand: received []", "the model: received ['parcel'] and 0 left in the channel"],
    "asyncio_swallowed_cancel": ["asyncio: raised in 1 of 5", "\ntrio: raised in 5 of 5", "\nanyio: raised in 5 of 5"],
    "asyncio_lost_task": ["after a garbage collection: 0"],
    "asyncio_gather": ["gathered: gather raised, the other one worked on", "grouped: the other one was cancelled"],
    "asyncio_other_thread": ["put_nowait: when the loop woke up", "call_soon_threadsafe: at once"],
    "asyncio_eager": ["lazy:  creator goes on, child begins", "eager: child begins, creator goes on"],
    "trio_order": ["asyncio: always the same order", "trio: different orders"],
    "trio_checkpoints": ["about 200 turns", "at most 2 turns"],
    "trio_interrupt": ["trio: BaseExceptionGroup(", "the model: KeyboardInterrupt()"],
    "trio_generator": ["generator: ['ResourceWarning']", "| finally begins\n", "channel: []"],
    "trio_subinterpreter": ["the loop: runs", "to_thread: RuntimeError: daemon threads"],
    "anyio_outside": ["anyio's task was cancelled", "asyncio's task finished"],
    "anyio_cancelled_class": ["asyncio: asyncio.exceptions.CancelledError", "trio: trio.Cancelled"],
    "anyio_wrapped_error": ["except ExceptionGroup: ", "except* ValueError: "],
    "sim_last_ticket": ["first come, first served: fine", "100 seeds sell it twice", "again: {'sold twice'}"],
    "sim_between_operations": ["add_at_once: [2]", "add_slowly: [1, 2]"],
    "anyio_threads": [
        "at most: 40",
        "at work: 40, waiting for a thread: 1",
        "in two loops, at work at the same time: 80",
    ],
}
PREEMPTIVE = {
    "subinterp_fork": ["was killed by SIGSEGV", "subprocess.run beside it: it runs", "without an error: -11"],
    "subinterp_shareable": [
        "shareable: | None | bool | int | float | str | bytes | tuple of these | memoryview | Queue\n",
        "{'None': True, '7': True, 'int': True, 'Exception': True, 'len': False}",
    ],
    "threads_at_exit": ["a thread: done", "a pool's thread: done", "a pool's thread: cleaned up"],
    "threads_dropped_map": ["after one result: those that had begun", "was asked for: all of them"],
    "threads_failed_stage": ["by hand: without the timeout, `put` would wait for ever", "the model: the disk is full"],
    "threads_lost_error": ["excepthook: the disk is full", "join: returned", "nothing printed", "result: the disk"],
}
"""Of the models of several threads, processes or interpreters, those whose page says more than the output shows."""
COOPERATIVE = ("greenlet", "tasklets", "gevent", "eventlet", "asyncio", "trio", "anyio", "sim")


@pytest.mark.parametrize("name", PREEMPTIVE)
def test_a_program_of_threads_or_interpreters_still_shows_what_the_page_says(name):
    if name.startswith("subinterp") and (reason := catalog.why_not("subinterp")) is not None:
        pytest.skip(str(reason))
    done = ran(TRAPS / f"{name}.py")
    assert [words for words in PREEMPTIVE[name] if words not in done.stdout] == [], done.stdout + done.stderr
    assert "a daemon:" not in done.stdout  # Python doesn't wait for it, and its `finally` doesn't run


@pytest.mark.parametrize("name", LESSONS)
def test_the_program_still_shows_what_the_page_says(name):
    missing = [model for model in ("gevent", "eventlet", "trio", "anyio") if catalog.why_not(model) is not None]
    if missing:
        pytest.skip(f"some programs compare models, and {', '.join(missing)} can't run here")
    done = ran(TRAPS / f"{name}.py")
    for words in LESSONS[name]:
        assert words in f"\n{done.stdout}", done.stdout + done.stderr


def test_every_program_about_these_models_has_its_lesson_here():
    ours = {program.stem for program in TRAPS.glob("*.py") if program.stem.partition("_")[0] in COOPERATIVE}
    assert ours == LESSONS.keys()
