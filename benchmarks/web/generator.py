"""The generator: one thread, one epoll, and a timer of the kernel's for the moments at which requests are due."""

import os
import select
import time
from array import array
from collections import deque
from collections.abc import Callable, Iterator
from math import inf
from time import monotonic

from benchmarks.web import schedule
from benchmarks.web.answers import Broken
from benchmarks.web.connections import Connection, Left
from benchmarks.web.plan import Plan
from benchmarks.web.processor import Processor
from benchmarks.web.tally import Tally
from benchmarks.web.tls import of_client
from concmodels.programs.output.streams import BadInput

_AT_ONCE = 64
"""So many connections are opening at a time: the queue of a server that listens may be short."""
_OPENING_S = 10
_RETRY_S = 0.1
"""The pause before a connection that has had no answer is opened again."""
_PAUSE_S = 0.02
_EVENTS = 512
_LOOK_S = 0.5

type Watch = Callable[[float, int], object]
"""Is called about twice a second, with the seconds that have passed and the number of answers."""


class Generator:
    """The common part of both loops: the connections, and what is done when one of them is ready."""

    cores: float = 0
    """In what share of the time it computed."""
    waited: float | None = None
    """In what share of the time it waited for a processor."""
    most_waiting = 0
    """The most requests that were due and had no connection."""
    lost = 0
    """Requests that an error has taken."""
    unsent = 0
    """Requests that still had no connection when the time for late answers was over."""
    lags: array[float] | None = None
    """How many seconds after it was due each request was noticed, without the warm-up; None if nothing is due."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._requests = [
            f"GET {kind.path} HTTP/1.1\r\nHost: {plan.target.address}\r\n\r\n".encode() for kind in plan.kinds
        ]
        self._kinds = schedule.kinds(plan.kinds, plan.seed)
        self._epoll = select.epoll()
        self._by_fd: dict[int, Connection] = {}
        self._to_retry: deque[tuple[float, Connection]] = deque()
        self._opening = 0
        self._begin = self._end = inf
        self.tally = Tally(plan)
        secrets = None if plan.tls is None else of_client(plan.tls)
        self.connections = [Connection(plan.target.host, plan.target.port, secrets) for _ in range(plan.connections)]

    def connect(self) -> float:
        """Open the connections; return how many seconds that took. Raises `BadInput` if nobody listens.

        Those that are not open after ten seconds have more time during the run.
        """
        begin = monotonic()
        to_open = deque(self.connections)
        while (to_open or self._opening) and monotonic() < begin + _OPENING_S:
            while to_open and self._opening < _AT_ONCE:
                self._open(to_open.popleft())
            self._step(monotonic())
            if self.tally.errors and not any(it.ready for it in self.connections):
                raise BadInput(f"nobody listens at {self._plan.target.address}: {', '.join(self.tally.errors)}")
        for connection in to_open:
            self._open(connection)
        return monotonic() - begin

    def run(self, watch: Watch | None = None) -> None:
        """Send until the end, and wait for the answers."""
        now = self._begin = monotonic()
        self.tally.begin = now + self._plan.warmup_s
        self._end = self.tally.end = self.tally.begin + self._plan.seconds
        processor = Processor()
        self._start()
        look = now + _LOOK_S if watch else inf
        while now < self._end:
            self._step(now)
            now = monotonic()
            if watch and now >= look:
                watch(now - self._begin, self.tally.answers)
                look = now + _LOOK_S
        self.cores, self.waited = processor.shares()
        while now < self._end + self._plan.grace_s and self._is_waiting():
            self._step(now)
            now = monotonic()
        self.tally.left(self._waiting(), now)

    def close(self) -> None:
        """Close everything."""
        for connection in self.connections:
            connection.close()
        self._epoll.close()

    def _step(self, now: float) -> None:
        """Wait for a moment for what happens, and deal with it."""
        while self._to_retry and self._to_retry[0][0] <= now:
            self._open(self._to_retry.popleft()[1])
        for fd, _ in self._epoll.poll(_PAUSE_S, _EVENTS):
            connection = self._by_fd.get(fd)
            if connection is None:
                self._struck()
            elif connection.ready:
                self._read(connection)
            else:
                self._opened(connection)

    def _open(self, connection: Connection) -> None:
        try:
            fd = connection.open()
        except Broken as reason:
            self._failed(connection, reason)
            return
        self._opening += 1
        self._by_fd[fd] = connection
        self._epoll.register(fd, select.EPOLLOUT)
        connection.due = self._due_with_connection()

    def _opened(self, connection: Connection) -> None:
        try:
            is_open = connection.opened()
        except Broken as reason:
            self._opening -= 1
            self._failed(connection, reason)
            return
        self._epoll.modify(connection.fd, select.EPOLLIN)
        if is_open:
            self._opening -= 1
            self._free(connection, monotonic())

    def _read(self, connection: Connection) -> None:
        try:
            answer = connection.receive()
        except Left:
            self._reopen(connection)
            return
        except Broken as reason:
            self._failed(connection, reason)
            return
        if answer is None:
            return
        now = monotonic()
        assert connection.due is not None
        connection.answers += self.tally.answered(answer, connection.due, connection.kind, now)
        connection.due = None
        if answer.closing:
            self._reopen(connection)
        else:
            self._free(connection, now)

    def _send(self, connection: Connection, due: float) -> None:
        kind = next(self._kinds)
        try:
            connection.send(self._requests[kind], due, kind)
        except Broken as reason:
            self._failed(connection, reason)

    def _reopen(self, connection: Connection) -> None:
        """Replace a connection that the server has closed."""
        self._drop(connection)
        connection.reopened += 1
        self._open(connection)

    def _failed(self, connection: Connection, reason: Broken) -> None:
        """Count an error; open the connection again: after a pause if it has had no answer, or errors took all time."""
        self.tally.errors[str(reason)] += 1
        self.lost += connection.due is not None
        if connection.has_answered:
            self._reopen(connection)
        else:
            self._drop(connection)
            self._to_retry.append((monotonic() + _RETRY_S, connection))

    def _drop(self, connection: Connection) -> None:
        self._by_fd.pop(connection.fd, None)
        connection.close()

    def _is_waiting(self) -> bool:
        return any(True for _ in self._waiting())

    def _waiting(self) -> Iterator[tuple[float, int]]:
        """Yield when each request was due that has no answer yet, and its kind."""
        return ((it.due, it.kind) for it in self.connections if it.due is not None)

    def _start(self) -> None:
        """Do what is to be done first."""
        raise NotImplementedError

    def _free(self, connection: Connection, now: float) -> None:
        """Use a connection that has no request."""
        raise NotImplementedError

    def _struck(self) -> None:
        """Take the requests that are due."""
        raise NotImplementedError

    def _due_with_connection(self) -> float | None:
        """Return when the request is due that is sent as soon as this connection is open; None if there is none."""
        return None


class ClosedLoop(Generator):
    """Each connection is a user, whose next request follows the answer."""

    def _start(self) -> None:
        for connection in self.connections:
            if connection.ready:
                self._free(connection, self._begin)
            else:
                connection.due = self._begin

    def _free(self, connection: Connection, now: float) -> None:
        if self._begin <= now < self._end:
            self._send(connection, now if connection.due is None else connection.due)
        else:
            connection.due = None

    def _due_with_connection(self) -> float | None:
        now = time.monotonic()
        return now if self._begin <= now < self._end else None


class OpenLoop(Generator):
    """Requests are due at their moments. Each takes the connection that has been idle longest, or waits for one."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self._idle: deque[Connection] = deque()
        self._backlog: deque[float] = deque()
        self._next = inf
        self._lags = array("d")
        self.lags = self._lags
        self._timer = os.timerfd_create(time.CLOCK_MONOTONIC, flags=os.TFD_NONBLOCK | os.TFD_CLOEXEC)
        self._epoll.register(self._timer, select.EPOLLIN)

    def close(self) -> None:
        """Close everything."""
        super().close()
        os.close(self._timer)

    def _start(self) -> None:
        assert self._plan.rate is not None
        self._moments = schedule.arrivals(self._begin, self._plan.rate, even=self._plan.even, seed=self._plan.seed)
        self._next = next(self._moments)
        self._set_timer()

    def _set_timer(self) -> None:
        """Have the timer strike at the next moment, if that is before the end. What it has struck is forgotten."""
        moment = self._next if self._next < self._end else 0  # 0: never
        os.timerfd_settime(self._timer, flags=os.TFD_TIMER_ABSTIME, initial=moment)

    def _struck(self) -> None:
        now = monotonic()
        while self._next <= now and self._next < self._end:
            self._backlog.append(self._next)
            if self._next >= self.tally.begin:
                self._lags.append(now - self._next)
            self._next = next(self._moments)
        self._set_timer()

    def _step(self, now: float) -> None:
        super()._step(now)
        while self._backlog and self._idle:
            connection = self._idle.popleft()
            if connection.ready and connection.due is None:  # else it has been closed meanwhile
                self._send(connection, self._backlog.popleft())
        self.most_waiting = max(self.most_waiting, len(self._backlog))

    def run(self, watch: Watch | None = None) -> None:
        """Send until the end, and wait for the answers."""
        super().run(watch)
        self.unsent = len(self._backlog)

    def _free(self, connection: Connection, now: float) -> None:
        self._idle.append(connection)

    def _waiting(self) -> Iterator[tuple[float, int]]:
        yield from super()._waiting()
        for due in self._backlog:
            yield due, 0
