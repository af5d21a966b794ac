"""Actors on every model: objects that are reached by messages only.

An actor is an object with a mailbox and a task of its own, which hands it one message at a time. So its state needs no
lock. `tell` leaves a message, and `ask` waits for the answer:

    >>> from concmodels import actors, load
    >>> class Account(actors.Actor):
    ...     def __init__(self, balance):
    ...         self.balance = balance
    ...     def receive(self, amount):
    ...         self.balance += amount
    ...         return self.balance
    >>> def main(model):
    ...     with actors.system(model) as system:
    ...         account = system.start(Account, 100)
    ...         account.tell(20)
    ...         return account.ask(-50)
    >>> model = load("threads")
    >>> model.run(main, model)
    70

In an async model it is `async with`, `await account.tell(20)` and `await account.ask(-50)`, and `receive` may be a
coroutine function. The words are those of Akka, Pykka and Erlang.

What is guaranteed:

* An actor has one message at a time. The messages of one sender arrive in the order in which they were sent.
* Every `ask` ends: it returns what `receive` returned, or raises what `receive` raised, or `Stopped`, or
  `TimeoutError`. There is one exception: actors that ask each other in a circle wait for ever. On the models of one
  process, the run then ends with `Deadlock`, which names them, unless something else can go on.
* What happens when `receive` fails depends on who is waiting. The exception of an asked message is raised by `ask`, and
  the actor goes on. A told message has nobody who could catch it, so `on_failure` decides: see `System.start`.
* The end of the `with` block stops all actors and waits for them, the last one that was started first. Each first
  handles what is in its mailbox, so what it tells earlier ones is handled, too. If the block or an actor fails, all are
  cancelled. After the block nothing runs.
* Across a memory boundary a message that can't be unpickled is one that fails: with `CannotTravel`, and alone.

The system and its references are in `concmodels/awaited/actors.py`; sync models run that text without `await`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from concmodels.two_forms import form_for

__all__ = ["Actor", "Stopped", "escalate", "restart", "resume", "stop", "system"]


class Stopped(Exception):
    """The actor has ended, or was stopped before it came to this message; or it was cancelled while it handled it.

    In the last case the message may have had a part of its effect.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return Stopped, self.args


class Actor:
    """The base class of actors. Define `receive(self, message)`, and in an async model perhaps `async def`."""

    ref: Any
    """The reference to this actor, to be passed on."""

    def receive(self, message: Any) -> Any:
        """Handle a message. What it returns is the answer for `ask`."""
        raise NotImplementedError(f"{type(self).__name__} has no receive(self, message)")

    def started(self) -> Any:
        """Do something before the first message. In an async model this may be a coroutine function, as the next two.

        If it fails, the system fails.
        """

    def stopped(self) -> Any:
        """Do something after the last message. It is not called for an actor that is cancelled, or fails its system."""

    def restarted(self, cause: Exception) -> Any:
        """Do something, in the place of `started`, in the new object that takes the place of a failed one."""


def escalate(failures: int) -> str:
    """Let the failure of a told message fail the system: all actors are cancelled. This is the default."""
    return "escalate"


def resume(failures: int) -> str:
    """Go on with the next message, and with the object as the failure has left it."""
    return "resume"


def stop(failures: int) -> str:
    """End the actor. Messages that are in its mailbox, and later ones, are answered with `Stopped`."""
    return "stop"


def restart(times: int) -> Callable[[int], str]:
    """Put a new object in the place of the failed one, with the same arguments and mailbox; after `times`, escalate."""
    return partial(_restart, times)


def _restart(times: int, failures: int) -> str:
    return "restart" if failures <= times else "escalate"


def system(model: Any) -> Any:
    """Return a `System` of actors on this model, for a `with` block, or in an async model for `async with`.

    Across a memory boundary an actor lives in a process or an interpreter of its own. Its class has to be importable,
    and its arguments, the messages and the answers are copied.
    """
    return form_for(model, "actors").System(model)
