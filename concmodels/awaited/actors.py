"""The system of `concmodels.actors`, the references to its actors, and the task of an actor."""

from collections.abc import Callable
from math import inf
from types import CoroutineType
from typing import Any, Self

from concmodels.actors import Stopped, escalate
from concmodels.errors import CannotTravel, ChannelClosed, RemoteError, WouldBlock
from concmodels.two_forms import must_fit


class System:
    """A group of actors, which end together."""

    def __init__(self, model: Any) -> None:
        self._model, self._group = model, model.TaskGroup()
        self._actors: list[Ref] = []
        self._ending = False

    async def __aenter__(self) -> Self:
        """Return the system, which can now start actors."""
        await self._group.__aenter__()
        return self

    async def __aexit__(self, kind: Any, error: Any, trace: Any) -> bool | None:
        """Stop all actors, the last one first, and wait for them."""
        self._ending = True
        cut_short = None
        if error is None:
            try:
                await self._stop_in_turn()
            except BaseException as raised:  # noqa: BLE001 - the group has to see it, and it is raised below
                kind, error, trace = type(raised), (cut_short := raised), raised.__traceback__
        for ref in list(self._actors):
            ref.stop()
        try:
            suppressed: bool | None = await self._group.__aexit__(kind, error, trace)
        finally:
            for ref in self._actors:
                ref.stop(now=True)  # a task that was cancelled before its first step has refused nothing
        if cut_short is not None and not suppressed:
            raise cut_short
        return suppressed

    async def _stop_in_turn(self) -> None:
        """Stop one actor after the other. What it still tells those that were started before it is handled."""
        for ref in reversed(self._actors):
            ref.stop()
            try:
                await ref._task.result()
            except Exception:  # noqa: BLE001 - the actor has failed: the group raises that, and cancels the others
                return

    def start(
        self,
        kind: Callable[..., Any],
        *args: Any,
        name: str | None = None,
        mailbox: float = inf,
        on_failure: Callable[[int], str] = escalate,
    ) -> Ref:
        """Start the actor `kind(*args)`, and return its reference. Never waits.

        The object is made in the actor's own task. `name` is for error messages. `mailbox` is the number of messages
        that may wait; when there are as many, `tell` and `ask` wait. `on_failure` says what happens when a
        told message fails: `escalate`, `resume`, `restart(3)` or `stop`. Raises `RuntimeError` outside of the `with`
        block and while it ends, and `TypeError` if `kind.receive` is a coroutine function in a sync model.
        """
        if mailbox < 1:
            raise ValueError(f"a mailbox holds at least one message, not {mailbox}")
        must_fit(self._model, getattr(kind, "receive", None))
        if self._is_ending():
            raise RuntimeError("no actor can be started while the block of its system ends")
        ref = Ref(self._model, name or str(getattr(kind, "__name__", "actor")), mailbox)
        ref._task = self._group.spawn(_live, ref, kind, args, on_failure, name=ref.name)
        self._actors.append(ref)
        if self._is_ending():  # on threads the end of the block may have come meanwhile, and not have seen it
            ref.stop()
        return ref

    def _is_ending(self) -> bool:
        return self._ending


class Ref:
    """A reference to an actor. It may be sent in messages, and kept after the actor has ended."""

    def __init__(self, model: Any, name: str, mailbox: float) -> None:
        self.name = name
        """The name of the actor, for error messages."""
        self._model, self._mailbox = model, model.Channel(mailbox, name)
        self._is_copied = getattr(self._mailbox, "home", None) is not None  # across a memory boundary
        self._task: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_task": None}  # a task's handle stays where the task was started

    async def tell(self, message: Any, timeout: float | None = None) -> None:
        """Leave a message, and wait only while the mailbox is full.

        Raises `Stopped` if the actor has ended or was stopped, and `TimeoutError` after `timeout` seconds. If the actor
        ends later, but before it has come to this message, the message is lost.
        """
        await self._send((message, None), timeout)

    async def ask(self, message: Any, timeout: float | None = None) -> Any:
        """Leave a message, wait for the answer, and return it.

        Raises what `receive` raised, `Stopped` if the actor has ended, was stopped or is cancelled before it has
        answered, and `TimeoutError` after `timeout` seconds. In that case the message may still be handled. (If
        `receive` may raise one of the last two itself, these can't be told apart.) Across a memory boundary, an
        exception that can't be pickled is a `RemoteError` with its traceback, and what can't be unpickled is a
        `CannotTravel`: a message there, an answer here.
        """
        if self._task is not None and self._task.done():
            self._mailbox.close()  # the task may have been cancelled before its first step
        until = None if timeout is None else self._model.now() + timeout
        answer = self._model.Channel(1, f"answer of {self.name}")
        await self._send((message, answer), timeout)
        value, error = await answer.receive(None if until is None else until - self._model.now())
        if error is not None:
            raise error
        return value

    def stop(self, *, now: bool = False) -> None:
        """Have the actor end after what is in its mailbox; with `now`, after the message that it handles. Never waits.

        With `now`, asked messages that are in the mailbox raise `Stopped` where they were asked, and told ones are
        lost. It may be called more than once.
        """
        self._mailbox.close()
        if now:
            _refuse_all(self)

    async def _send(self, envelope: Any, timeout: Any) -> None:
        try:
            await self._mailbox.send(_Envelope(envelope) if self._is_copied else envelope, timeout)
        except ChannelClosed:
            raise Stopped(f"{self.name} has ended") from None

    def __repr__(self) -> str:
        return f"<Ref of {self.name}>"


class _Envelope(tuple[Any, Any]):
    """A message, and the channel for its answer, which can be read even if the message can't be unpickled."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        from pickle import dumps

        message, answer = self
        try:
            return _arrived, (dumps(message, 5), answer)
        except Exception:  # noqa: BLE001 - a socket, which the channel can send; or it says better why it can't be sent
            return _Envelope, ((message, answer),)


class _Unreadable:
    """A placeholder for a message that can't be unpickled."""

    def __init__(self, why: str) -> None:
        self.why = why


def _arrived(message: bytes, answer: Any) -> _Envelope:
    from pickle import loads

    try:
        return _Envelope((loads(message), answer))
    except Exception as error:  # noqa: BLE001 - whatever the program's own classes raise
        why = f"a message can't be unpickled where it arrives: {type(error).__name__}: {error}"
        return _Envelope((_Unreadable(why), answer))


async def _live(ref: Any, kind: Any, args: Any, on_failure: Callable[[int], str]) -> None:
    """The task of an actor: make the object, hand it the messages, and refuse those that it will not come to."""
    try:
        with ref._mailbox as mailbox:
            actor = _made(ref, kind, args)
            await _value(actor.started())
            failures = 0
            async for message, answer in mailbox:
                cause = await _handled(ref, actor, message, answer)
                if cause is None:
                    continue
                failures += 1
                match on_failure(failures):
                    case "restart":
                        actor = _made(ref, kind, args)
                        await _value(actor.restarted(cause))
                    case "stop":
                        ref.stop(now=True)
                    case "resume":
                        pass
                    case _:
                        raise cause
            await _value(actor.stopped())
    finally:
        _refuse_all(ref)


def _made(ref: Any, kind: Any, args: Any) -> Any:
    actor = kind(*args)
    actor.ref = ref
    return actor


async def _handled(ref: Any, actor: Any, message: Any, answer: Any) -> Exception | None:
    """Handle a message and answer it; return the exception of a told one."""
    outcome: tuple[Any, Exception | None]
    try:
        if type(message) is _Unreadable:
            raise CannotTravel(message.why)
        outcome = await _value(actor.receive(message)), None
    except Exception as error:  # noqa: BLE001 - it is raised where it was asked for, or handled as `on_failure` says
        outcome = None, error
    except BaseException:  # it was cancelled, or the program is to end
        _refuse(ref, answer)
        raise
    if answer is None:
        return outcome[1]
    try:
        answer.send_nowait(outcome)
    except CannotTravel as refused:
        answer.send_nowait((None, _of_text(ref, outcome[1]) if outcome[1] else refused))
    return None


def _of_text(ref: Any, error: Exception) -> RemoteError:
    from traceback import format_exception

    return RemoteError(ref.name, "".join(format_exception(error)))


def _refuse(ref: Any, answer: Any) -> None:
    if answer is not None:
        answer.send_nowait((None, Stopped(f"{ref.name} has ended")))


def _refuse_all(ref: Any) -> None:
    """Answer what is left in the closed mailbox, to which nothing can be added."""
    while True:
        try:
            _, answer = ref._mailbox.receive_nowait()
        except ChannelClosed, WouldBlock:
            return
        _refuse(ref, answer)


async def _value(result: Any) -> Any:
    """Return what a method returned, and await it if it is a coroutine function."""
    return await result if isinstance(result, CoroutineType) else result
