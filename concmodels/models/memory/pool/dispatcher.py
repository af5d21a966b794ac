"""The floor of a pool of processes or interpreters: its workers at their desks, and the work that lies there.

Whoever minds the pool takes a `step` now and then: he reads the desks, buries the dead, and hands out what waits. All
of it is done with the lock held; only the futures are told without it, for what they call then is the program's.
"""

import math
from _thread import RLock
from collections import deque
from itertools import count

from concmodels.errors import TaskCancelled, WorkerDied
from concmodels.models.memory.arena import CHANNEL_BYTES, STATE
from concmodels.models.memory.group import DONE, cancel
from concmodels.models.memory.participant import now
from concmodels.models.memory.pool import worker_memory
from concmodels.models.memory.pool.batches import Mapping, Source
from concmodels.models.memory.pool.calls import Calls
from concmodels.models.memory.pool.worker import UNFIT, serve
from concmodels.models.memory.pool.worker_handle import Batch, Member
from concmodels.models.memory.pool.worker_memory import CLOSING
from concmodels.models.pools.arguments import broken_by, refusal
from concmodels.models.pools.results import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from typing import Any

    from concmodels.models.memory.participant import Unit
    from concmodels.models.memory.pool.batches import Endings
    from concmodels.models.memory.pool.results import News

OPEN, CLOSED, SENT_HOME, STOPPED = range(4)
_POLL_S = 0.005  # how long a result in the middle of a batch may lie unseen
_OVERDUE_S = 0.002
_WORTH_TAKING_NS = 200_000
_DEATHS = 3


class Floor:
    """What there is to do, and who does it."""

    def __init__(self, unit: Unit, workers: int, initializer: tuple[Any, ...]) -> None:
        self.crew: Any = None  # set before the first is hired
        self.lock = RLock()
        self.stage = OPEN
        self.calls = Calls()
        self.calls_under_way: Callable[[], bool] = bool  # whether a task has given it work that is not here yet
        self._unit = unit
        self._workers = workers
        self._initializer = initializer
        self._broken: BaseException | None = None
        self._sources: deque[Source] = deque([self.calls])
        self._members: list[Member] = []
        self._deaths = 0  # in a row, of workers that had never been fit for work
        self._numbers = count(1)
        self._telling = 0  # how many have ended whose futures are being told in this moment

    def check_open(self, of_task: bool = False) -> None:
        """Raise why nothing more is taken. A task of its own may go on giving it work until the last one has ended."""
        if self._broken is not None:
            raise self._broken
        if self.stage > (CLOSED if of_task else OPEN):
            raise refusal(None)

    def add(self, mapping: Mapping) -> None:
        """A `map` more."""
        with self.lock:
            self.check_open()
            self._sources.append(mapping)

    def step(self) -> bool:
        """Read the desks, bury the dead, hand out work; True if something has ended."""
        news: News = []
        endings: Endings = []
        with self.lock:
            self._look_at_desks(news, endings)
            if self.stage < SENT_HOME:
                self._hand_out(news)
            self._settle(news, endings)
            if any(source.is_finished() for source in self._sources):
                self._drop_finished()
            if self.stage == CLOSED and not self._left() and not self.calls_under_way():
                self.stage = SENT_HOME
                self._send_home()
            self._telling += 1
        try:
            for ending in endings:
                _end(*ending)
        finally:
            with self.lock:
                self._telling -= 1
        return bool(news)

    def next_look(self) -> float | None:
        """When the desks must be looked at, even if nobody rings."""
        with self.lock:
            if any(member.unread() > 1 for member in self._members):
                return now() + _POLL_S
        return None

    def has_news(self) -> bool:
        """Whether a batch has ended that has not been read."""
        with self.lock:
            return any(member.has_news() for member in self._members)

    def is_over(self) -> bool:
        """Whether there will be no more to do."""
        with self.lock:
            return self.stage != OPEN and not (self._members or self._telling or self.crew.any_left())

    def end(self) -> None:
        """The foreman leaves, all workers have: what is left will not be done."""
        endings: Endings = []
        error = self._broken or self._unit.death or TaskCancelled("the pool has ended before this task")
        with self.lock:
            self.stage = STOPPED
            for source in self._sources:
                source.fail_all(error, endings)
        for ending in endings:
            _end(*ending)

    def give_up(self, error: BaseException) -> None:
        """Whoever minds it has failed: all that can still be done is to end."""
        self._broken = broken_by(error, "the pool itself has failed")
        cancel(self._unit, self.crew.at)

    def _left(self) -> bool:
        return any(source.left for source in self._sources)

    def _look_at_desks(self, news: News, endings: Endings) -> None:
        for member in list(self._members):
            member.harvest(news)
            if member.has_ended():
                self._members.remove(member)
                self._part_with(member, news, endings)
                member.leave()

    def _settle(self, news: News, endings: Endings) -> None:
        for source, first, outcome in news:
            if isinstance(outcome, Failure):
                source.failed(first, outcome.error, endings)
            else:
                source.done(first, outcome, endings)

    # Handing out.

    def _hand_out(self, news: News) -> None:
        fit = [member for member in self._members if member.is_fit()]
        for depth in (1, 2):
            for member in fit:
                while (
                    not (depth > 1 and member.stands)
                    and len(member.batches) < depth
                    and (source := self._next_source(depth))
                ):
                    self._give(member, source, news)
        if idle := [member for member in fit if not member.batches]:
            self._share_out(idle, news)

    def _next_source(self, depth: int) -> Source | None:
        """Whose turn it is; a second batch behind another only of tasks that are quick."""
        for _ in range(len(self._sources)):
            source = self._sources[0]
            self._sources.rotate(-1)
            if len(source) and (depth == 1 or source.is_quick()):
                return source
        return None

    def _give(self, member: Member, source: Source, news: News) -> None:
        first, count = source.take(source.size(self._workers, worker_memory.MOST))
        if not count:
            return
        try:
            member.give(Batch(source, first, count), source.payload(first, count))
        except Exception as error:  # noqa: BLE001 - it is the failure of the task that can't be packed
            if count > 1:
                source.give_back(first, count)
                source.alone = count
            else:
                news.append((source, first, Failure(error)))

    def _share_out(self, idle: list[Member], news: News) -> None:
        """Somebody has nothing to do: half of what lies before the busiest is his."""
        for member in idle:
            busiest = max(self._members, key=Member.waiting)
            if not busiest.waiting() or not self._is_worth_it(busiest) or not busiest.halve():
                return
            source = self._next_source(1)
            if source is not None:
                self._give(member, source, news)

    @staticmethod
    def _is_worth_it(member: Member) -> bool:
        batch = member.batches[-1]
        expected = (batch.source.task_ns or math.inf) * member.waiting()
        return expected > _WORTH_TAKING_NS or now() - batch.given_at > _OVERDUE_S

    # Coming and going.

    def hire(self) -> None:
        """One worker more."""
        unit, arena = self._unit, self._unit.arena
        with arena.claim:
            at = worker_memory.make(arena, unit.words[CHANNEL_BYTES])
        crew, name = self.crew, f"worker {next(self._numbers)}"
        try:
            task = crew.spawn(serve, self._unit.kind, at, *self._initializer, name=name)
        except BaseException:
            with arena.claim:
                worker_memory.clear(arena, at)
            raise
        self._members.append(Member(unit, at, task))

    def _send_home(self) -> None:
        for member in self._members:
            if not member.words[CLOSING]:
                member.close()

    def _part_with(self, member: Member, news: News, endings: Endings) -> None:
        """A worker has ended: it was told to, or it has died."""
        if self.stage == STOPPED or self._unit.cancelled(self.crew.at):
            self.stage = STOPPED
            member.bury(TaskCancelled(f"{member.doing()} was cancelled"), news)
            self.cancel_waiting()
        elif member.state() == UNFIT:
            self._break(f"the initializer failed in {member.name} of the pool", member.trouble(), endings)
        elif not (member.words[CLOSING] and member.unit.words[member.task.at + STATE] == DONE):
            self._replace(member, news, endings)

    def _replace(self, member: Member, news: News, endings: Endings) -> None:
        doing, cause = member.doing(), member.cause_of_death()
        what = f"{member.name} of the pool died ({cause})"
        member.bury(WorkerDied(f"{what} in the middle of {doing}", member.name), news)
        if self.stage >= SENT_HOME:
            return  # it died on its way home
        self._deaths = 0 if member.state() else self._deaths + 1
        if self._deaths >= _DEATHS:
            error = WorkerDied(what, member.name)
            self._break(f"{_DEATHS} workers in a row died before they could begin", error, endings)
        else:
            self.hire()

    def _break(self, message: str, cause: BaseException, endings: Endings) -> None:
        """No worker can be had: nothing can be done any more."""
        self._broken = broken_by(cause, message)
        self.stage = STOPPED
        for source in self._sources:
            source.fail_all(self._broken, endings)
        cancel(self._unit, self.crew.at)

    # Ending early.

    def forget(self, mapping: Mapping) -> None:
        """Nobody wants the results of this `map` any more."""
        with self.lock:
            self._recall(mapping)
            mapping.cancel()
            self._drop_finished()

    def _drop_finished(self) -> None:
        self._sources = deque(source for source in self._sources if not source.is_finished())

    def workers(self) -> set[int]:
        """The desks of all workers."""
        with self.lock:
            return {member.at for member in self._members}

    def stands(self, at: int) -> bool:
        """The task of this worker waits for another one: nothing is to lie behind it; True if something did.

        What lay there was submitted before what is not given yet. Somebody who is free might else take up the later,
        and then all wait: for the earlier, which has no worker any more.
        """
        with self.lock:
            member = self._member(at)
            if member is None:
                return False
            member.stands = True
            return member.clear() > 0

    def goes_on(self, at: int) -> None:
        """It waits no longer."""
        with self.lock:
            if member := self._member(at):
                member.stands = False

    def _member(self, at: int) -> Member | None:
        return next((member for member in self._members if member.at == at), None)

    def has_begun(self, position: int) -> bool:
        """Whether a worker has begun this call."""
        with self.lock:
            for member in self._members:
                if batch := member.find(self.calls, position):
                    return member.has_begun(batch, position)
        return False

    def cancel(self, position: int, really: Callable[[], bool]) -> bool:
        """Cancel a call, unless a worker has begun it, or is just going to."""
        with self.lock:
            for member in self._members:
                if batch := member.find(self.calls, position):
                    member.recall(batch, position)
            return not any(member.find(self.calls, position) for member in self._members) and really()

    def _recall(self, source: Source) -> None:
        for member in self._members:
            for batch in reversed(member.batches):
                if batch.source is source:
                    member.recall(batch, batch.first)

    def cancel_waiting(self) -> None:
        """Nothing more is to be begun."""
        for source in self._sources:
            self._recall(source)
            source.cancel()


def _end(future: Future[Any], result: Any, error: BaseException | None) -> None:
    """Tell a future how its call has ended; what it calls then is the program's."""
    if not future.set_running_or_notify_cancel():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
