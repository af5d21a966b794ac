"""A program, as data.

Children import this page, so it imports little.
"""

from collections import namedtuple
from itertools import chain

FOR_EVER, LONG, SHORT, ZERO, NOWAIT = "for ever", "long", "short", "zero", "nowait"
"""How long an operation may wait. LONG never strikes, SHORT does so about as often as not; NOWAIT is the other verb."""

PATIENT = (FOR_EVER, LONG)
NEVER_WAITS = (ZERO, NOWAIT)

SENT, RECEIVED, CLOSED, BLOCKED, DONE = "sent", "received", "closed", "blocked", "done"
CANCELLED = "cancelled"
BUSY, SHUT = "busy", "shut"
"""What may come of a call. BLOCKED: it raised `WouldBlock` or `TimeoutError`, whichever is due. BUSY and SHUT: another
task waited for the same socket, or the socket was closed on this side."""

SOCKET = "socket"
"""The capacity of a channel that is a line: two connected sockets. It is not selected from, nor iterated over."""

Operation = namedtuple("Operation", "verb cases patience priority count", defaults=(FOR_EVER, False, 1))
"""A case is (channel, item) to send, (channel, None) to receive. All verbs but `select` have one."""

Program = namedtuple("Program", "capacities tasks")
"""The capacities of its channels, and for each task its operations."""

NAMES = "abcdefgh"
"""What a listing calls the channels."""


def send(channel, item, patience=FOR_EVER):
    """Send this item."""
    return Operation("send", ((channel, item),), patience)


def receive(channel, patience=FOR_EVER):
    """Receive one item."""
    return Operation("receive", ((channel, None),), patience)


def iterate(channel, count):
    """Receive so many items by iteration, or fewer if it ends."""
    return Operation("iterate", ((channel, None),), FOR_EVER, False, count)


def select(*cases, patience=FOR_EVER, priority=False):
    """Wait for the first of several cases: (channel, item) to send, a channel to receive."""
    cases = tuple(case if isinstance(case, tuple) else (case, None) for case in cases)
    return Operation("select", cases, patience, priority)


def close(channel):
    """Close it."""
    return Operation("close", ((channel, None),), NOWAIT)


def notify(line):
    """Tell all who wait for the sockets of this line that they are about to be closed, and close none."""
    return Operation("notify", ((line, None),), NOWAIT)


def shut(line):
    """Close the socket that is received from, after a `notify_closing`."""
    return Operation("shut", ((line, None),), NOWAIT)


def cancel(task):
    """Cancel the task of this number, perhaps the very one that does it."""
    return Operation("cancel", ((task, None),), NOWAIT)


def drain(channel):
    """Receive without waiting until the channel has ended: what the main task does last."""
    return Operation("drain", ((channel, None),), NOWAIT, False, 60)


PAUSE = Operation("pause", ())
"""Let the others run. Not in the history."""

END = Operation("end", ())
"""The last call of a task that was cancelled. In no program; only in histories."""


def script(program):
    """What the main task does: an act whenever the tasks stand still. In the end it closes everything and drains it.

    First it helps: a task that waits to send finds a receiver, one that waits to receive an item.
    """
    channels = range(len(program.capacities))
    helping = (
        tuple(receive(channel, NOWAIT) for channel in channels),
        tuple(send(channel, f"help {channel}", NOWAIT) for channel in channels),
    )
    closing = tuple((close(channel),) for channel in channels)
    return (*helping, *closing, tuple(drain(channel) for channel in channels))


def operation_of(program, task, step):
    """The operation behind a note; the task behind the last one is the main task."""
    if task == len(program.tasks):
        return tuple(chain.from_iterable(script(program)))[step]
    operations = program.tasks[task]
    return operations[step] if step < len(operations) else END


def in_words(operation):
    """As it is written in a listing."""
    verb, cases, patience, priority, count = operation
    if verb in ("pause", "end"):
        return verb
    if verb == "cancel":
        return f"cancel task {cases[0][0]}"
    texts = [NAMES[channel] if item is None else f"{NAMES[channel]} <- {item!r}" for channel, item in cases]
    extras = [patience] if patience != FOR_EVER and verb not in ("close", "drain", "notify", "shut") else []
    extras += ["in this order"] if priority else []
    extras += [f"{count} times"] if verb == "iterate" else []
    return ", ".join([f"{verb} {' | '.join(texts)}", *extras])


def listing(program):
    """The program as lines of text."""
    channels = ", ".join(f"{NAMES[number]}({capacity})" for number, capacity in enumerate(program.capacities))
    lines = [f"channels {channels}"]
    for number, operations in enumerate(program.tasks):
        lines += [f"task {number}", *(f"    {in_words(operation)}" for operation in operations)]
    return "\n".join(lines)
