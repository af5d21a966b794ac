"""Judges what was measured: which way to choose for this function, and why.

Nothing is measured here. The rules, the first that fits:

    it is async, and holds its event loop up                                   -> take out what does so
    it is async, and 50 tasks at once help                                     -> asyncio
    a call keeps several processors busy by itself                             -> a plain loop
    it waits, and 50 threads at once don't help: it is one at a time           -> a plain loop, until that is mended
    it waits and computes, each for a good part                                -> more processes than processors
    it waits, or processes that it starts compute                              -> threads
    it computes: the best of threads, processes and subinterpreters, if any is 1.2 times as fast as the loop
"""

import math
from dataclasses import dataclass

from concmodels.programs.output.formats import duration
from concmodels.which.measured import INTERPRETERS, LOOP, MANY, PROCESSES, TASKS, THREADS, Measured

HELPS = 1.2
"""A way that is not so many times as fast as a plain loop is not worth it."""
MOSTLY, PARTLY = 0.7, 0.35
"""The shares of a call from which on it computes, and from which on it does both."""
_BOUNDARIES = (PROCESSES, INTERPRETERS)
_MORE = "More --seconds would tell more"
_SEE = "How: https://docs.python.org/3/library/asyncio-dev.html#running-blocking-code"


@dataclass(frozen=True)
class Advice:
    """The way to choose, and why; each sentence of `notes` says something else that matters."""

    use: str
    """The name of a way, or what has to be done first; empty if the measurements don't tell."""
    why: str
    workers: int = 0
    """How many workers it should have; 0: as many as there are processors."""
    notes: tuple[str, ...] = ()


def judge(its: Measured) -> Advice:
    """Return the advice for a function that was measured."""
    if its.is_async:
        return _of_async(its)
    if (processors := its.share("process_s", "children_s")) > 1.3:
        where = "in processes that it starts" if its.in_children > PARTLY else "in threads of its own"
        return Advice(LOOP, f"one call keeps {processors:.1f} processors busy by itself, {where}")
    return _of_computing(its) if its.computes >= MOSTLY else _of_waiting(its)


def _of_async(its: Measured) -> Advice:
    blocks = 1 - its.share("thread_s", "idle_s")
    if its.computes > 0.5:
        why = f"it computes for {its.computes:.0%} of its time, and meanwhile its event loop can do nothing else"
        return Advice("a process for what computes, awaited in the event loop", why, notes=(_SEE,))
    if blocks > 0.3:
        why = f"for {blocks:.0%} of its time it waits and lets nothing else run, as time.sleep and requests do"
        use = "asyncio.to_thread for the call that blocks, or an async library in its place"
        return Advice(use, why, notes=(_SEE,))
    speed, tasks = its.speed(TASKS), its.ways[TASKS]
    if not speed:
        why = f"there are no figures of 50 tasks at once: {tasks.why_not or 'no call had ended in time'}"
        return Advice("", why if tasks.has_failed else f"{why}. {_MORE}", notes=_shared(its))
    if speed < 1.5:
        return _one_at_a_time(its, "50 tasks", speed)
    return Advice("asyncio", f"it waits, and 50 tasks at once were {speed:.0f} times as fast as one after another")


def _of_waiting(its: Measured) -> Advice:
    many, bound = its.speed(MANY), 1 / max(its.computes, 0.001)
    programs = its.in_children >= PARTLY  # which compute: on a busy machine, that they are slow says nothing
    if many and many < min(1.3, 0.8 * bound) and not (programs and its.is_disturbed):
        return _one_at_a_time(its, "50 threads", many)
    if programs and its.cpus == 1:
        return Advice(LOOP, "the programs it starts compute, and there is only one processor")
    if programs:
        why = "the programs it starts compute; threads can wait for several of them"
        return Advice(THREADS, why, notes=_shared(its))
    processes = its.speed(PROCESSES)  # which says little if other programs have the processors
    helps = processes >= max(HELPS, 0.8 * its.speed(INTERPRETERS)) or (processes and its.is_disturbed)
    if its.computes > PARTLY and its.gil and helps:
        why = (
            f"it waits and it computes ({its.computes:.0%} of its time): threads take turns to compute, so that they "
            f"can't be more than {bound:.1f} times as fast as a loop; processes on {its.cpus} processors can be "
            f"{its.cpus * bound:.1f} times"
        )
        return Advice(PROCESSES, why, math.ceil(its.cpus * bound), _shared(its))
    return _in_threads(its, many, bound)


def _in_threads(its: Measured, many: float, bound: float) -> Advice:
    why, workers = f"it waits for {1 - its.computes:.0%} of its time", 32
    notes = [*_shared(its), "If thousands have to wait at the same time, write it async, with an async library"]
    if many:
        why += f", and 50 threads were {many:.1f} times as fast as a loop"
    else:
        notes.insert(0, f"Whether 50 calls can wait at the same time was not measured. {_MORE}")
    if its.computes >= 0.04 and its.gil and many <= 1.5 * bound:
        workers = math.ceil(bound)
        notes.insert(0, f"What it computes takes turns under the GIL: more than {workers} threads don't help. Processes"
                        f" with threads in each would go on to {its.cpus * bound:.0f} times")  # fmt: skip
    return Advice(THREADS, why, workers, tuple(notes))


def _of_computing(its: Measured) -> Advice:
    speeds = {name: its.undisturbed(name) for name in (THREADS, *_BOUNDARIES)}
    if its.gil and not its.releases_gil:
        del speeds[THREADS]
    best = max(speeds, key=lambda name: speeds[name])
    if speeds[best] < HELPS:
        return _nothing_helps(its)
    if not its.gil:
        why = f"it computes, and this Python has no GIL: threads are {speeds[THREADS]:.1f} times as fast as a loop"
        return Advice(THREADS, why)
    if its.releases_gil and speeds[THREADS] > 0.8 * speeds[best]:
        why = "it computes in C code that lets go of the GIL: threads do that at the same time, and nothing is copied"
        return Advice(THREADS, why, notes=_shared(its))
    why = "it computes and keeps the GIL meanwhile, so threads take turns"
    if speeds[PROCESSES] > 0.85 * speeds[best]:  # the older and better known of the two, unless it costs much
        return Advice(PROCESSES, why, notes=_shared(its))
    processes = f"{speeds[PROCESSES]:.1f} times" if its.ways[PROCESSES].rounds else "none: they can't run it"
    why += f"; {best} are {speeds[best]:.1f} times as fast as a loop, processes {processes}"
    return Advice(best, why, notes=_shared(its))


def _nothing_helps(its: Measured) -> Advice:
    boundaries = [its.ways[name] for name in _BOUNDARIES]
    if not (its.ways[PROCESSES].rounds or its.ways[PROCESSES].has_failed):
        why = f"as far as can be told, it computes, but there was no time to measure everything. {_MORE}"
        return Advice(PROCESSES, why, notes=_shared(its))
    if its.cpus == 1:
        why = "it computes, and there is only one processor"
    elif not any(way.rounds for way in boundaries):
        reasons = its.hindrances or tuple(f"{way.name}: {way.why_not}" for way in boundaries)
        why = "it computes and keeps the GIL, and it can run neither in another process nor in another interpreter: "
        why += "; ".join(reasons)
    elif (size := its.result_bytes or 0) > 100_000:
        why = f"its result has {size / 1e6:.1f} MB: to copy that to another process or interpreter takes longer"
    elif its.call_s < 0.001:
        why = f"a call takes {duration(its.call_s * 1e9)}, and to hand it to a worker, even with many others, as long"
    else:
        why = f"it computes, but {boundaries[0].workers} workers were no faster: memory may be what they share"
    return Advice(LOOP, why)


def _one_at_a_time(its: Measured, what: str, speed: float) -> Advice:
    why = (
        f"it waits, but one call at a time: {what} were {speed:.1f} times as fast as a loop. A lock, one connection or "
        "a server that answers one request after another does that"
    )
    return Advice(LOOP, why, notes=_shared(its))


def _shared(its: Measured) -> tuple[str, ...]:
    own = "" if its.is_async else (
        ". Each process and each subinterpreter has its own: they may seem to be faster, but don't keep out of each "
        "other's way"
    )  # fmt: skip
    return (f"All calls use {' and '.join(its.shared)}{own}",) if its.shared else ()
