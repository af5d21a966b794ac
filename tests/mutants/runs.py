"""`run` and `share`, in one process and beyond a memory boundary, each broken in one way."""

import os
import signal
import threading

from mutants import mutant, replace
from mutants.steps import BOUNDARY_SHARED, CHECK_SHARED, SHARED, found


@mutant("threads", "runs")
def swallows_ctrl_c(model):
    """`KeyboardInterrupt` does not leave `run`."""

    @replace(model, "run")
    def run(run, main, *args, **how):
        try:
            return run(main, *args, **how)
        except KeyboardInterrupt:
            return None


@mutant("greenlet", "runs")
def keeps_the_sigint_handler(model):
    """`run` leaves a SIGINT handler of its own behind."""

    @replace(model, "run")
    def run(run, main, *args, **how):
        try:
            return run(main, *args, **how)
        finally:
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGINT, lambda *_: None)


@mutant("asyncio", "runs")
def leaves_a_thread_behind(model):
    """A run leaves a thread behind."""

    @replace(model, "run")
    def run(run, main, *args, **how):
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        return run(main, *args, **how)


@mutant("trio", "runs")
def loses_the_result_of_main(model):
    """`run` returns None."""

    @replace(model, "run")
    def run(run, main, *args, **how):
        run(main, *args, **how)


@mutant("subinterp", "runs")
def leaves_a_descriptor_behind(model):
    """A run leaves a descriptor open."""

    @replace(model, "run")
    def run(run, main, *args, **how):
        os.dup(2)
        return run(main, *args, **how)


@mutant("threads", "sharing")
def a_view_is_a_copy(model):
    """`view` is of a copy of the bytes."""

    @replace(found(SHARED), "view")
    def view(view, self):
        original = view(self)
        copy = memoryview(bytearray(original.tobytes())).cast("B")
        copy = copy.cast(original.format, original.shape) if original.nbytes else copy
        return copy.toreadonly() if original.readonly else copy


@mutant("greenlet", "sharing_ends")
def release_does_nothing(model):
    """Released memory can still be asked for."""
    found(SHARED).release = lambda self: None


@mutant("trio", "sharing")
def loses_the_shape(model):
    """`view` is of plain bytes, whatever was shared."""

    @replace(found(SHARED), "view")
    def view(view, self):
        original = view(self)
        return original.cast("B") if original.contiguous else original


@mutant("processes", "sharing")
def writes_are_not_seen(model):
    """What a process writes into shared memory nobody else sees."""

    @replace(found(BOUNDARY_SHARED), "view")
    def view(view, self):
        original = view(self)
        copy = memoryview(bytearray(original.tobytes()))
        copy = copy.cast(original.format, original.shape) if original.nbytes else copy
        return copy.toreadonly() if original.readonly else copy


@mutant("subinterp", "sharing_ends")
def released_memory_is_still_readable(model):
    """`view` does not ask whether the memory was released."""

    @replace(found(BOUNDARY_SHARED), CHECK_SHARED)
    def check(check, self, words):
        pass


@mutant("processes", "sharing_ends")
def release_does_nothing_there(model):
    """`release` of shared memory does nothing, beyond a memory boundary too."""
    found(BOUNDARY_SHARED).release = lambda self: None
