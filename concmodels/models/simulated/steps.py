"""Tasks, and their steps: what the tasks of a simulated run do between two scheduling points.

A task stops *before* each step, at a scheduling point, and says what it is about to do: it *announces* the step. The
strategy then picks one of the steps that are enabled, which may be another task's. A step lasts from its point to the
next point of the same task.

    announced    kind, subject and keys of the step are known: what it is going to do, and to what
    enabled      it can be picked now; a step that would have to wait is announced and not enabled
    done         its footprint is known: all that it has touched

The keys of a step and its footprint say what it touches, as pairs of a *key* and whether it changes what the key stands
for. A key is a tuple: a kind, and an identity. Identities are those of the task that made the object and how many it
had made by then, so that they are the same on every schedule, in every process.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType
    from typing import Any, Literal, Protocol

    from greenlet import greenlet

    class Resumed(Protocol):
        """A task of an event loop: the loop runs in one task of the world, and resumes its own ones there."""

        @property
        def name(self) -> str: ...
        @property
        def identity(self) -> Identity: ...

    class EventLoop(Protocol):
        """An event loop that runs in a task of the world."""

        def waits(self) -> Iterable[tuple[str, Any, list[FrameType]]]:
            """Return, for each of the loop's tasks, its name, what it waits for, and its frames."""

    type Identity = tuple[int, ...]
    type Kind = Literal[
        "task", "channel", "group", "event", "future", "map",
        "lock", "queue", "thread", "global", "cell", "attribute", "item",
    ]  # fmt: skip
    """What keys can stand for. Tests find here what they have to show: that the search needs each of these."""
    type Key = tuple[Kind, Identity]
    type Touches = Iterable[tuple[Key, bool]]

ANNOUNCED, ENABLED, OVER = range(3)

TIMER = "timer"
"""The step of an event loop in which a time limit expires, or a callback comes that was put off."""


class Runner:
    """One task of a world: its identity, its greenlet, and the steps that it has announced."""

    __slots__ = ("chosen", "event_loop", "identity", "key", "objects", "pending", "started", "task", "unit")

    def __init__(self, task: Any, identity: Identity, unit: greenlet) -> None:
        self.task = task
        task.runner = self
        self.identity = identity
        self.key: Key = ("task", identity)
        self.unit = unit
        self.event_loop: EventLoop | None = None
        """The event loop that runs in this task, if one does."""
        self.pending: tuple[Step, ...] = ()
        self.chosen: Step | None = None
        self.objects: dict[str, int] = {}  # how many it has made of each kind
        self.started = 0

    @property
    def name(self) -> str:
        """The name of its task."""
        name: str = self.task.name
        return name

    def __repr__(self) -> str:
        return f"<task {text_of(self.identity)}, {self.name}>"


class Step:
    """One step of one task.

    `place` is where in the program the task has announced it, a file and a line, if the run records places. `resumes`
    is the task of an event loop that goes on in this step, if the task of the world runs such a loop.

    A step that waits for a gate (a lock that is taken, the end of a thread) can't be done before one that opens it:
    `waits` and `opens` are the key of that gate, and only steps that touch the key open or close it.
    """

    __slots__ = ("_footprint", "keys", "kind", "opens", "place", "resumes", "runner", "state", "subject", "waits")

    def __init__(self, runner: Runner, kind: str, keys: tuple[tuple[Key, bool], ...] = (), subject: Any = None) -> None:
        self.runner = runner
        self.kind = kind
        self.keys = keys
        self.subject = subject
        self.state = ANNOUNCED
        self.place: tuple[str, int] | None = None
        self.resumes: Resumed | None = None
        self.waits: Key | None = None
        self.opens: Key | None = None
        self._footprint: dict[Key, bool] | None = None

    @property
    def identity(self) -> Identity:
        """The identity of its task."""
        return self.runner.identity

    @property
    def task(self) -> Runner | Resumed:
        """The task that goes on: that of the event loop, if it is one's."""
        return self.resumes or self.runner

    @property
    def footprint(self) -> dict[Key, bool]:
        """The keys that it touches, once it was picked; complete when the strategy is asked again or the run has ended.

        It is made when it is asked for: a sample makes many steps, and looks at no footprint.
        """
        footprint = self._footprint
        if footprint is None:
            footprint = self._footprint = {self.runner.key: True}
            for key, changes in self.keys:
                footprint[key] = changes
        return footprint

    def __str__(self) -> str:
        name = getattr(self.subject, "name", self.subject)
        return self.kind if name is None else f"{self.kind} {name}"

    def __repr__(self) -> str:
        return f"<step of {self.task.name}: {self}>"


def dependent(one: Touches, other: Touches) -> bool:
    """Return whether the order of two tasks' steps can matter: both touch the same, and one of them changes it.

    They are given by their keys, or by the items of their footprints.
    """
    for key, changes in one:
        for key_2, changes_2 in other:
            if key == key_2 and (changes or changes_2):
                return True
    return False


def text_of(identity: Identity) -> str:
    """Return an identity as text: `0` is main, `2` the second task that main has started, `2.1` that one's first."""
    return ".".join(map(str, identity))
