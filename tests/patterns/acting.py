"""What `concmodels.actors` guarantees: programs, in the async form."""

from concmodels import actors
from concmodels.actors import Stopped
from concmodels.errors import CannotTravel

PATIENCE = 15
"""Seconds to wait for what must come; what breaks a guarantee is found by this, not by a hang."""


class Log(actors.Actor):
    """Remembers its messages, and answers with all of them."""

    def __init__(self, *first):
        self.got = list(first)

    async def receive(self, message):
        """Remember the message, or fail."""
        if message == "fail":
            raise LookupError("told to")
        self.got.append(message)
        return self.got

    def started(self):
        """Note it."""
        self.got.append("started")

    def restarted(self, cause):
        """Note the cause."""
        self.got.append(f"restarted after {cause!r}")


class Echo(actors.Actor):
    """Answers with what it was asked."""

    def receive(self, message):
        """Return the message, or fail with it."""
        if isinstance(message, Exception):
            raise message
        return message


class Partner(actors.Actor):
    """Asks the actor that it is asked about."""

    async def receive(self, other):
        """Ask it about ourselves."""
        return await other.ask(self.ref)


class Waiter(actors.Actor):
    """Waits at the gate that it is asked about."""

    async def receive(self, gate):
        """Return what comes through."""
        return await gate.receive()


class Teller(actors.Actor):
    """Reports what it is told, and its end."""

    def __init__(self, report):
        self.report = report

    async def receive(self, message):
        """Report it."""
        await self.report.send(message)

    async def stopped(self):
        """Report that."""
        await self.report.send("stopped")


class Relay(actors.Actor):
    """Passes on what it is told."""

    def __init__(self, other):
        self.other = other

    async def receive(self, message):
        """Tell the other one."""
        await self.other.tell(message)


class Unreadable:
    """Can be pickled, and not unpickled."""

    def __reduce__(self):
        return int, ("no number",)


class Unborn(actors.Actor):
    """Fails before its first message."""

    def started(self):
        """Fail."""
        raise LookupError("not ready")


class Sleeper(actors.Actor):
    """Sleeps as long as it is told, and handles nothing else meanwhile."""

    def __init__(self, model):
        self.model, self.asleep = model, False

    async def receive(self, seconds):
        """Sleep."""
        assert not self.asleep
        self.asleep = True
        await self.model.sleep(seconds)
        self.asleep = False
        return "slept"


async def tell_twice(log, name):
    """A sender."""
    await log.tell(f"{name}0")
    await log.tell(f"{name}1")


async def ask_and_report(ref, message, report):
    """Ask, and report how it ended."""
    try:
        await report.send(await ref.ask(message))
    except Stopped:
        await report.send("stopped")


async def messages_of_a_sender_stay_in_order(model):
    """An actor has each message once, and those of one sender in their order."""
    async with actors.system(model) as system:
        log = system.start(Log)
        async with model.TaskGroup() as group:
            group.spawn(tell_twice, log, "a")
            await tell_twice(log, "b")
        got = await log.ask("end")
        assert got[0] == "started" and got[-1] == "end" and sorted(got[1:-1]) == ["a0", "a1", "b0", "b1"]
        assert [it for it in got if it[0] == "a"] == ["a0", "a1"]


async def ask_returns_or_raises(model):
    """`ask` returns what `receive` returned, or raises what it raised, and the actor goes on."""
    async with actors.system(model) as system:
        echo = system.start(Echo)
        assert await echo.ask("hello") == "hello"
        try:
            await echo.ask(LookupError("asked for"))
        except LookupError as error:
            assert str(error) == "asked for" or error.args == ("asked for",)
        else:
            raise AssertionError("ask did not raise")
        assert await echo.ask(None, timeout=PATIENCE) is None


async def a_told_failure_fails_the_system(model):
    """Without `on_failure`, the exception of a told message is that of the system."""
    try:
        async with actors.system(model) as system:
            await system.start(Echo).tell(LookupError("told"))
            await model.sleep(PATIENCE)
    except ExceptionGroup as errors:
        (error,) = errors.exceptions
        assert isinstance(error, LookupError)
    else:
        raise AssertionError("the failure was lost")


async def a_restart_keeps_the_mailbox(model):
    """`restart` makes a new object, which gets the messages that were left."""
    async with actors.system(model) as system:
        log = system.start(Log, "first", on_failure=actors.restart(1))
        await log.tell("lost")
        await log.tell("fail")
        await log.tell("kept")
        assert await log.ask("end") == ["first", "restarted after LookupError('told to')", "kept", "end"]


async def resume_keeps_the_object(model):
    """`resume` goes on with the object as it is."""
    async with actors.system(model) as system:
        log = system.start(Log, on_failure=actors.resume)
        await log.tell("kept")
        await log.tell("fail")
        assert await log.ask("end") == ["started", "kept", "end"]


async def stop_ends_the_actor(model):
    """`on_failure=stop` ends the actor, and later messages are refused."""
    async with actors.system(model) as system:
        echo = system.start(Echo, on_failure=actors.stop)
        await echo.tell(LookupError())
        try:
            await echo.ask("too late")
        except Stopped:
            return
        raise AssertionError("the actor has not ended")


async def stop_comes_after_the_mailbox(model):
    """A stopped actor handles what is in its mailbox, and what comes later is refused."""
    gate = model.Channel(3)
    async with actors.system(model) as system:
        waiter = system.start(Waiter)
        for _ in range(2):
            await waiter.tell(gate)
        waiter.stop()
        waiter.stop()
        try:
            await waiter.tell(gate)
        except Stopped as error:
            assert str(error) == "Waiter has ended"
        else:
            raise AssertionError("it was accepted")
        for item in ("one", "two", "left"):
            await gate.send(item)
    assert await gate.receive() == "left"


async def an_end_discards_the_mailbox(model):
    """`stop(now=True)` ends what was asked and not begun; at most the message that is being handled is answered."""
    gate, report = model.Channel(2), model.Channel(2)
    async with model.TaskGroup() as group:
        async with actors.system(model) as system:
            waiter = system.start(Waiter)
            group.spawn(ask_and_report, waiter, gate, report)
            group.spawn(ask_and_report, waiter, gate, report)
            waiter.stop(now=True)
            await gate.send("in time")
            await gate.send("too late")
            answers = [await report.receive(), await report.receive()]
        assert "stopped" in answers and "too late" not in answers


async def an_ask_beside_a_stop_ends(model):
    """An `ask` while the actor is stopped returns the answer, or raises `Stopped`."""
    await _ask_beside_a_stop(model, now=False)


async def an_ask_beside_an_end_ends(model):
    """The same for an actor that discards its mailbox."""
    await _ask_beside_a_stop(model, now=True)


async def _ask_beside_a_stop(model, now):
    report = model.Channel(1)
    async with actors.system(model) as system:
        echo = system.start(Echo)
        async with model.TaskGroup() as group:
            group.spawn(ask_and_report, echo, "answer", report)
            echo.stop(now=now)
            assert await report.receive() in ("answer", "stopped")


async def an_ask_beside_a_cancelled_actor_ends(model):
    """When the system fails, an `ask` of one of its actors raises `Stopped`."""
    report = model.Channel(1)
    async with model.TaskGroup() as outside:
        try:
            async with actors.system(model) as system:
                sleeper = system.start(Sleeper, model)
                outside.spawn(ask_and_report, sleeper, PATIENCE, report)
                await system.start(Echo).tell(LookupError("told"))
                await model.sleep(PATIENCE)
        except ExceptionGroup:
            assert await report.receive() == "stopped"
        else:
            raise AssertionError("the failure was lost")


async def asking_has_a_limit(model):
    """`ask` raises `TimeoutError`, and the actor's late answer is lost."""
    async with actors.system(model) as system:
        gate, waiter = model.Channel(2), system.start(Waiter)
        try:
            await waiter.ask(gate, timeout=0.001)
        except TimeoutError:
            await gate.send("late")
            await gate.send("in time")
            assert await waiter.ask(gate) == "in time"
        else:
            raise AssertionError("the gate is closed")


async def a_mailbox_may_be_bounded(model):
    """`tell` waits while the mailbox is full."""
    gate = model.Channel(3)
    async with actors.system(model) as system:
        waiter = system.start(Waiter, mailbox=1)
        await waiter.tell(gate)
        await waiter.tell(gate)  # once it has begun with the first one
        try:
            await waiter.tell(gate, timeout=0)
        except TimeoutError:
            for item in ("one", "two", "three"):
                await gate.send(item)
            assert await waiter.ask(gate) == "three"
        else:
            raise AssertionError("the mailbox is full")


async def nothing_runs_after_the_block(model):
    """The end of the block waits until all actors have handled their messages, and have stopped."""
    report = model.Channel(2)
    async with actors.system(model) as system:
        teller = system.start(Teller, report)
        await teller.tell("last")
    assert await report.receive() == "last" and await report.receive() == "stopped"
    try:
        await teller.ask("too late")
    except Stopped:
        return
    raise AssertionError("it still answers")


async def the_end_begins_with_the_last_actor(model):
    """What an actor tells an earlier one while the block ends is still handled."""
    report = model.Channel(4)
    async with actors.system(model) as system:
        teller = system.start(Teller, report)
        await system.start(Relay, teller).tell("last")
    assert await report.receive() == "last" and await report.receive() == "stopped"


async def a_failure_at_the_end_cancels_the_others(model):
    """While the block ends, a failure is that of the system, and what waits is cancelled."""
    report = model.Channel(0)
    try:
        async with actors.system(model) as system:
            await system.start(Teller, report).tell("nobody receives this")
            await system.start(Echo).tell(LookupError("told"))
    except ExceptionGroup as errors:
        (error,) = errors.exceptions
        assert isinstance(error, LookupError)
    else:
        raise AssertionError("the failure was lost")


async def an_ask_while_the_block_is_cancelled_ends(model):
    """After a failure, an actor that was not even begun answers those who ask in their clean-up."""
    try:
        async with actors.system(model) as system:
            failing = system.start(Echo)
            await failing.ask("begun")
            await failing.tell(LookupError("told"))
            late = system.start(Echo)
            try:
                await model.sleep(PATIENCE)
            finally:
                try:
                    assert await late.ask("anybody there?") == "anybody there?"
                except Stopped:
                    pass
    except ExceptionGroup as errors:
        assert [error for error in errors.exceptions if isinstance(error, LookupError)]
    else:
        raise AssertionError("the failure was lost")


async def a_message_that_can_not_be_read_fails_alone(model):
    """If a message can't be unpickled, `ask` raises `CannotTravel`, and the actor goes on; a told one is a failure."""
    async with actors.system(model) as system:
        echo = system.start(Echo, on_failure=actors.resume)
        try:
            assert isinstance(await echo.ask(Unreadable(), timeout=PATIENCE), Unreadable)
        except CannotTravel:
            pass
        await echo.tell(Unreadable())
        assert await echo.ask("next", timeout=PATIENCE) == "next"


async def a_block_that_fails_cancels_the_actors(model):
    """The exception of the block is that of the system, and an actor that waits is cancelled."""
    try:
        async with actors.system(model) as system:
            await system.start(Waiter).tell(model.Channel(0))
            raise LookupError("in the block")
    except ExceptionGroup as errors:
        (error,) = errors.exceptions
        assert isinstance(error, LookupError)
    else:
        raise AssertionError("the failure was lost")


async def the_last_restart_is_followed_by_a_failure(model):
    """After so many restarts the next failure is that of the system."""
    await _fails_the_system(model, Log, ["fail", "fail"])


async def a_failure_of_started_is_never_restarted(model):
    """It is one of the system."""
    await _fails_the_system(model, Unborn, [])


async def _fails_the_system(model, kind, messages):
    try:
        async with actors.system(model) as system:
            ref = system.start(kind, on_failure=actors.restart(1))
            for message in messages:
                await ref.tell(message)
    except ExceptionGroup as errors:
        (error,) = errors.exceptions
        assert isinstance(error, LookupError)
    else:
        raise AssertionError("the failure was lost")


async def an_actor_may_not_be_started_too_late(model):
    """While the block ends, `start` raises `RuntimeError`."""
    report = model.Channel(1)
    async with actors.system(model) as system:
        assert await system.start(Echo).ask("in time") == "in time"
    try:
        system.start(Teller, report)
    except RuntimeError:
        return
    raise AssertionError("nobody would stop it")


PROGRAMS = {
    it.__name__: it
    for it in (
        messages_of_a_sender_stay_in_order,
        ask_returns_or_raises,
        a_told_failure_fails_the_system,
        a_restart_keeps_the_mailbox,
        resume_keeps_the_object,
        stop_ends_the_actor,
        stop_comes_after_the_mailbox,
        an_ask_beside_a_stop_ends,
        an_ask_beside_an_end_ends,
        an_end_discards_the_mailbox,
        an_ask_beside_a_cancelled_actor_ends,
        asking_has_a_limit,
        a_mailbox_may_be_bounded,
        nothing_runs_after_the_block,
        the_end_begins_with_the_last_actor,
        a_failure_at_the_end_cancels_the_others,
        an_ask_while_the_block_is_cancelled_ends,
        a_message_that_can_not_be_read_fails_alone,
        a_block_that_fails_cancels_the_actors,
        the_last_restart_is_followed_by_a_failure,
        a_failure_of_started_is_never_restarted,
        an_actor_may_not_be_started_too_late,
    )
}


async def a_circle(model):
    """Two actors that ask each other."""
    async with actors.system(model) as system:
        one, other = system.start(Partner, name="one"), system.start(Partner, name="other")
        await one.ask(other)
