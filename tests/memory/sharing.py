"""The tasks of the tests of `share`. Interpreters import this, so it imports no numpy."""

import os
import sys

from killing import die

kept = []  # what a worker does not let go of


def look(blocks):
    """What a task finds out about them."""
    seen = {}
    for name, shared in blocks.items():
        with shared.view() as view:
            seen[name] = view.shape, view.itemsize, view.readonly, view.tobytes()
    return seen


def look_with_numpy(blocks):
    """The same through their arrays."""
    arrays = {name: shared.array() for name, shared in blocks.items()}
    return {name: (str(it.dtype), it.shape, it.flags.writeable, repr(it.tolist())) for name, it in arrays.items()}


def read(shared):
    return shared.view().tobytes()


def add_one(shared, times):
    """To all bytes of it, each time through another view."""
    for _ in range(times):
        with shared.view() as view:
            for place in range(len(view)):
                view[place] += 1


def keep(shared, how):
    """Keep something of it as long as this worker lives."""
    kept.append(getattr(shared, how)())


def forget_all():
    """Let go of what is kept here: a fork has what its parent has."""
    kept.clear()


def keep_a_slice(shared, ready, gate):
    """A view's slice is kept, the view is not."""
    piece = shared.view()[1:3]
    ready.send(None)
    for _ in gate:
        pass
    return piece.tobytes()


def view_and_die(shared):
    kept.append(shared.view())
    die()


def make_one(model, data):
    """The handle is the task's result."""
    return model.share(data)


def touch(shared, ready, gate):
    """Read a byte of every page when told to, and stay until told again."""
    ready.send(os.getpid())
    gate.receive()
    view = shared.view()
    ready.send(sum(view[::4096]))
    gate.receive()


def many_views(shared, times):
    """Views come and go in all ways: released, dropped, in a cycle for the garbage collector."""
    for number in range(times):
        view = shared.view()
        if number % 3 == 0:
            view.release()
        elif number % 3 == 1:
            cycle = [view]
            cycle.append(cycle)


def view_and_tell(shared):
    """Which modules a worker has imported that has looked at it."""
    shared.view()
    return sorted(sys.modules)
