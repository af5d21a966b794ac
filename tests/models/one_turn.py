"""All that can come together in one turn of an event loop: a partner, and requests to cancel the task that it serves.

A *schedule* is a task inside of some blocks (time limits and groups of asyncio's, scopes and groups of anyio's), the
operation that it waits in, and a list of acts: the partner, and each request. The loop does the acts one after the
other in one turn, before the task runs again. Then the task leaves some of its blocks and waits once more.

What should come of it is not worked out here. A task in the same blocks that awaits a bare future is sent the same
requests, and what asyncio and anyio do to it is the truth:

* A request came before the partner: the operation has done nothing, and everything is as with a bare future.
* The partner was first: the operation returns. The requests of the blocks that the task has left by its next wait have
  been withdrawn. There it must fare as one that waits for a bare future gets the others there, in some order, perhaps
  over more than one turn: which of those of one turn is raised first is nobody's business.
"""

import asyncio
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import permutations, product

import anyio

from concmodels import load
from concmodels.errors import WouldBlock

LATER = "a turn later"
PARTNER, CANCEL, HANDLE = "the partner", "task.cancel()", "Task.cancel of the model"
TURNS = 12
"""So many turns after the last act nothing moves any more."""

RECEIVING = ("receive", "iterate", "iterate without a bound", "select to receive")
SENDING = ("send", "send into a buffer", "select to send")
NEXT_WAITS = ("a future", "turns", "receive", "select")
PASTS = ("", "swallowed", "clean-up that raises", "clean-up that goes on")
OPERATIONS = (*RECEIVING, "receive from a buffer", *SENDING)


@dataclass(frozen=True)
class Schedule:
    """What happens; `acts` names blocks by their numbers, the outermost is 0. `around` is the number of blocks left."""

    model: str
    blocks: tuple[str, ...]
    acts: tuple[int | str, ...]
    around: int
    operation: str = "receive"
    next_wait: str = "a future"
    before: str = ""


class Trouble(Exception):
    """What a task of a group fails with."""


@dataclass
class Run:
    """One run of a schedule, with the operation or with a bare future in its place."""

    schedule: Schedule
    log: list = field(default_factory=list)

    def __post_init__(self):
        self.model = load(self.schedule.model)
        self.strikes = [None] * len(self.schedule.blocks)
        self.waiting_at = self.release = None
        bounds = {"receive from a buffer": 1, "send into a buffer": 1, "iterate without a bound": float("inf")}
        self.channel = self.model.Channel(bounds.get(self.schedule.operation, 0))
        if self.schedule.operation == "send into a buffer":
            self.channel.send_nowait("old")

    # The task.

    async def body(self):
        """The task: its blocks, the operation, the next wait; it tells whether anything comes after that."""
        self.task = asyncio.current_task()
        if self.schedule.before == "swallowed":
            self.task.cancel()
            try:
                await asyncio.sleep(0)
            except asyncio.CancelledError:
                pass
        try:
            await self.inside(0)
        except asyncio.CancelledError as error:
            self.log.append(("cancelled", self.sender(error), self.requests()))
        else:
            self.log.append(("left all", self.requests()))
        try:
            for _ in range(TURNS):
                await asyncio.sleep(0)
        except asyncio.CancelledError as error:
            self.log.append(("cancelled at the end", self.sender(error)))
        while self.task.cancelling():
            self.task.uncancel()

    async def inside(self, depth):
        """The block of this number, and what is in it."""
        if depth == len(self.schedule.blocks):
            await self.middle()
        else:
            try:
                async with getattr(self, self.schedule.blocks[depth])(depth):
                    await self.inside(depth + 1)
                self.log.append((depth, "left"))
            except (TimeoutError, ExceptionGroup) as error:
                self.log.append((depth, type(error).__name__))
            finally:
                self.strikes[depth] = None  # from here on it can't
        if depth == self.schedule.around:
            await self.wait()

    async def middle(self):
        """The operation; or first a wait that the outermost block ends, and then the operation as a clean-up."""
        if not self.schedule.before.startswith("clean-up"):
            await self.operate()
            return
        try:
            await asyncio.Future()
        except asyncio.CancelledError:
            with anyio.CancelScope(shield=True) if self.schedule.model == "anyio" else nullcontext():
                await self.operate()
            if "raises" in self.schedule.before:
                raise

    async def operate(self):
        """Perform the operation and say so."""
        await OPERATE[self.schedule.operation](self.model, self.channel)
        self.log.append("done")

    async def wait(self):
        """The next wait; it ends when the run lets it end."""
        future = asyncio.Future()
        self.waiting_at = len(self.log)
        if self.schedule.next_wait == "turns":
            self.release = lambda: future.done() or future.set_result(None)
            while not future.done():
                await asyncio.sleep(0)
        elif self.schedule.next_wait == "a future":
            self.release = lambda: future.done() or future.set_result(None)
            await future
        else:
            channel = self.model.Channel(1)
            self.release = lambda: channel.send_nowait(None)
            await (channel.receive() if self.schedule.next_wait == "receive" else self.model.select(channel))

    # The blocks. A strike is called in the turn before: where a request takes a turn to arrive, all arrive in order.

    def timeout(self, depth):
        """asyncio's time limit."""
        block = asyncio.timeout(None)
        self.strikes[depth] = lambda: block.expired() or block.reschedule(asyncio.get_running_loop().time() - 1)
        return block

    @asynccontextmanager
    async def group(self, depth):
        """asyncio's group, one task of which fails."""
        async with asyncio.TaskGroup() as group:
            self.strikes[depth] = lambda: group._aborting or group.create_task(fail(), eager_start=True)
            yield

    @asynccontextmanager
    async def model_group(self, depth):
        """A group of the model, which is cancelled."""
        async with self.model.TaskGroup() as group:
            asyncio_s = self.schedule.model == "asyncio"
            self.strikes[depth] = group.cancel if asyncio_s else lambda: soon(group.cancel)
            yield

    @asynccontextmanager
    async def scope(self, depth):
        """A scope of anyio's, which is cancelled."""
        with anyio.CancelScope() as scope:
            self.strikes[depth] = lambda: soon(scope.cancel)
            yield

    @asynccontextmanager
    async def deadline(self, depth):
        """A scope of anyio's, whose time is over."""
        with anyio.CancelScope(deadline=asyncio.get_running_loop().time() + 3600) as scope:
            self.strikes[depth] = lambda: soon(lambda: setattr(scope, "deadline", 0))
            yield

    # What happens to it.

    async def run(self):
        """Run the task, do the acts, and return what the task has told."""
        async with self.model.TaskGroup() as group:
            self.handle = group.spawn(self.body)
            await settle()
            if self.schedule.before.startswith("clean-up"):
                self.strikes[0]()
                await settle()
            await self.act()
            await settle()
            if self.waiting_at == len(self.log):
                self.log.append("still waits")
                self.release()
                await settle()
            await settle()
            if not self.handle.done():
                self.log.append("hangs")
                self.task.cancel()
        self.check_channel()
        return tuple(entry for entry in self.log if not self.has_left(entry))

    def has_left(self, entry):
        """Whether this tells of a block that the task leaves before its next wait: a group that has failed says so."""
        return self.schedule.acts[0] == PARTNER and isinstance(entry[0], int) and entry[0] >= self.schedule.around

    def sender(self, error):
        """Whose message this is, as anyio tells; of several requests at once any, and a group forgets it."""
        if CANCEL in self.schedule.acts or "group" in self.schedule.blocks:
            return "anybody"
        return "a scope" if str(error).startswith("Cancelled via") else "asyncio"

    def requests(self):
        """How many requests there are; anyio repeats those of a scope that is around the whole task."""
        return "any" if HANDLE in self.schedule.acts else self.task.cancelling()

    async def act(self):
        """Do all acts in one turn, or from LATER on in the next one, when the task has gone on."""
        self.prepare_all(self.schedule.acts)
        await settle()

    def prepare_all(self, acts):
        """Have these acts happen in the next turn."""
        now, later = (acts[: acts.index(LATER)], acts[acts.index(LATER) + 1 :]) if LATER in acts else (acts, ())
        for act in now:
            self.prepare(act)
        if later:
            soon(lambda: self.prepare_all(later))

    def prepare(self, act):
        """Have this act happen in the next turn."""
        if act == PARTNER:
            soon(self.serve)
        elif act == CANCEL:
            soon(lambda: self.task.cancel("from outside"))
        elif act == HANDLE:
            soon(self.handle.cancel)
        elif self.strikes[act] is not None:
            self.strikes[act]()

    def serve(self):
        """The partner."""
        try:
            if self.schedule.operation in SENDING:
                self.got = self.channel.receive_nowait()
            else:
                self.channel.send_nowait("item")
            self.served = True
        except WouldBlock:
            self.served = False

    def check_channel(self):
        """Nothing is lost or twice there."""
        rest = []
        while len(self.channel):
            rest.append(self.channel.receive_nowait())
        done, operation = "done" in self.log, self.schedule.operation
        if operation == "send into a buffer":
            assert rest == (["item"] if done else []) and self.got == "old", (self.schedule, self.log, rest)
        elif operation in ("receive from a buffer", "iterate without a bound"):
            assert rest == ([] if done else ["item"]), (self.schedule, self.log, rest)
        else:
            assert done == self.served and not rest, (self.schedule, self.log, rest)


class Bare(Run):
    """The same with a bare future in the place of the operation. `turns` are the requests; `first` skips the wait."""

    def __init__(self, schedule, turns, skips):
        super().__init__(schedule)
        self.turns, self.skips = turns, skips

    async def operate(self):
        """Await a bare future, or nothing where a partner was first."""
        if not self.skips:
            await asyncio.Future()
        self.log.append("done")

    async def act(self):
        """Do the acts of each turn."""
        for turn in self.turns:
            self.prepare_all(turn)
            await settle()

    def check_channel(self):
        """Nobody uses it."""


async def iterate(channel):
    """Receive one item."""
    return await anext(aiter(channel))


OPERATE = {
    "receive": lambda model, channel: channel.receive(),
    "receive from a buffer": lambda model, channel: channel.receive(timeout=3600),
    "iterate": lambda model, channel: iterate(channel),
    "iterate without a bound": lambda model, channel: iterate(channel),
    "select to receive": lambda model, channel: model.select(channel, model.Channel(0)),
    "send": lambda model, channel: channel.send("item"),
    "send into a buffer": lambda model, channel: channel.send("item", timeout=3600),
    "select to send": lambda model, channel: model.select((channel, "item"), model.Channel(0)),
}


def soon(act):
    """Have the loop do this in the next turn."""
    asyncio.get_running_loop().call_soon(act)


async def fail():
    """The task of a group that fails."""
    raise Trouble


async def settle():
    """Let every task go as far as it can: until none is to go on, or for TURNS, as a task may wait in turns."""
    ready = asyncio.get_running_loop()._ready
    for _ in range(TURNS):
        await asyncio.sleep(0)
        if not ready:
            return


def bare_schedule(schedule):
    """The part of a schedule that is the same with every operation."""
    next_wait = "turns" if schedule.next_wait == "turns" else "a future"
    return replace(schedule, operation="receive", next_wait=next_wait)


async def allowed(schedule):
    """What may come of this schedule."""
    return await _allowed(bare_schedule(schedule))


_known = {}


async def _allowed(schedule):
    if schedule not in _known:
        outcomes = {await bare.run() for bare in _bares(schedule)}
        if schedule.acts[0] == PARTNER:
            outcomes |= {outcome async for outcome in _in_a_clean_up(schedule, outcomes)}
        _known[schedule] = outcomes
    return _known[schedule]


async def _in_a_clean_up(schedule, outcomes):
    """What is right as well, if the operation is part of a clean-up that an earlier request has caused."""
    if schedule.before == "clean-up that goes on":
        # The task has swallowed a request of an outer block in an inner one, without `uncancel`. asyncio's blocks then
        # can't tell whose request is left. It may be as if the exception had been raised in the operation.
        yield "done", *await Bare(schedule, [schedule.acts[1:]], skips=False).run()


def _bares(schedule):
    """The runs with a bare future that say what is right."""
    if schedule.acts[0] != PARTNER:
        yield Bare(schedule, [[act for act in schedule.acts if act != PARTNER]], skips=False)
        return
    still = [act for act in schedule.acts[1:] if act != LATER and (isinstance(act, str) or act < schedule.around)]
    for order in permutations(still):
        for between in product(["at once", LATER, "much later"], repeat=max(0, len(order) - 1)):
            turns = [[*order[:1]]]
            for act, how in zip(order[1:], between, strict=True):
                if how == "much later":
                    turns.append([])
                turns[-1] += [LATER, act] if how == LATER else [act]
            yield Bare(schedule, turns, skips=True)


@cache
def blocks_of(model):
    """The kinds of blocks of this model."""
    own = ("timeout", "group", "model_group")
    return own if model == "asyncio" else (*own, "scope", "deadline")


def orders(requests):
    """All orders of the partner and some of these requests: all in one turn, and with the last one a turn later."""
    for count in range(1, len(requests) + 1):
        for acts in permutations([PARTNER, *requests], count + 1):
            if PARTNER in acts:
                yield acts
                if acts[-1] != PARTNER:
                    yield *acts[:-1], LATER, acts[-1]


def schedules(model, depths, pasts=("",), operations=OPERATIONS, next_waits=NEXT_WAITS):
    """All schedules of so many blocks."""
    for depth in depths:
        for blocks, before in product(product(blocks_of(model), repeat=depth), pasts):
            if is_confused(model, blocks, before):
                continue
            arounds = (0,) if "raises" in before else range(depth + 1)
            acts = orders(requests_of(model, blocks, before))
            for act, around, operation, next_wait in product(acts, arounds, operations, next_waits):
                yield Schedule(model, blocks, act, around, operation, next_wait, before)


def is_confused(model, blocks, before):
    """Whether asyncio or anyio would be confused by these blocks, or what came before, whatever the operation is."""
    scoped = [model == "anyio" and block not in ("timeout", "group") for block in blocks]
    if any(scoped[: blocks.index("group")] if "group" in blocks else ()):
        return True  # a failed group that is cancelled as well cancels its task again, without anyio's message
    if before == "swallowed":
        return bool({"group", "model_group"} & {*blocks})  # the same, as a request has been left behind
    if before == "clean-up that goes on" and any(scoped[:1]):
        return True  # anyio wants its exception to be raised again
    return before.startswith("clean-up") and not blocks


def requests_of(model, blocks, before):
    """What may cancel the task; in a clean-up, which is shielded from scopes, only what is asyncio's own."""
    if not before.startswith("clean-up"):
        return [*range(len(blocks)), CANCEL, *([] if model == "asyncio" else [HANDLE])]
    native = ("timeout", "group", "model_group") if model == "asyncio" else ("timeout", "group")
    return [*(depth for depth, block in enumerate(blocks) if depth and block in native), CANCEL]


def any_schedule(dice, model, depth):
    """A random schedule of so many blocks."""
    while True:
        before, blocks = dice.choice(PASTS), tuple(dice.choices(blocks_of(model), k=depth))
        if not is_confused(model, blocks, before):
            break
    requests = requests_of(model, blocks, before)
    acts = [PARTNER, *dice.sample(requests, dice.randint(1, min(3, len(requests))))]
    dice.shuffle(acts)
    if dice.random() < 0.3:
        acts.insert(dice.randint(1, len(acts) - 1), LATER)
    around = 0 if "raises" in before else dice.randint(0, depth)
    return Schedule(model, blocks, tuple(acts), around, dice.choice(OPERATIONS), dice.choice(NEXT_WAITS), before)
