"""What Erlang has, and what it is here: a function for each, whose docstring has Erlang's code and what differs."""

from typing import Any

from concmodels import SyncModel, actors, load


class Counter(actors.Actor):
    """A gen_server with a number as its state."""

    def __init__(self, number: int = 0) -> None:
        self.number = number

    def receive(self, message: str | tuple[str, Any]) -> object:
        match message:
            case ("add", amount):
                self.number += amount
            case "get":
                return self.number
            case ("get", reply):
                reply.send(self.number)
            case "whoami":
                return self.ref
            case "crash":
                raise LookupError("told to")
        return None


class Door(Counter):
    """A gen_server with init and terminate."""

    def started(self) -> None:
        self.number = 1

    def stopped(self) -> None:
        LOG.append("closed")


LOG: list[str] = []


def spawn(model: SyncModel) -> object:
    """{ok, Pid} =
      gen_server:start_link(counter, 5, [])

    An actor lives no longer than the block of its system.
    """
    with actors.system(model) as system:
        counter = system.start(Counter, 5)
        return counter.ask("get")


def tell(model: SyncModel) -> object:
    """Pid ! {add, 2}
    gen_server:cast(Pid, {add, 2})

    A mailbox may have a bound; then `tell` waits while it is full.
    """
    with actors.system(model) as system:
        counter = system.start(Counter, mailbox=10)
        counter.tell(("add", 2))
        return counter.ask("get")


def ask(model: SyncModel) -> object:
    """gen_server:call(Pid, get, 5000)

    Raises what `receive` raised, `Stopped` or `TimeoutError`. Without `timeout` there is no limit.
    """
    with actors.system(model) as system:
        return system.start(Counter, 1).ask("get", timeout=5)


def own_pid(model: SyncModel) -> bool:
    """self()

    The reference may be sent and kept.
    """
    with actors.system(model) as system:
        counter = system.start(Counter)
        return counter.ask("whoami") is counter


def begin_and_end(model: SyncModel) -> object:
    """init(N) -> ...
    terminate(Reason, N) -> ...

    `stopped` isn't called for an actor that is cancelled, or fails its system.
    """
    LOG.clear()
    with actors.system(model) as system:
        number = system.start(Door).ask("get")
    return number, LOG


def reply_later(model: SyncModel) -> object:
    """{noreply, N}
    gen_server:reply(From, N) % later

    Send a channel along.
    """
    reply = model.Channel(1)
    with actors.system(model) as system:
        system.start(Counter, 3).tell(("get", reply))
        return reply.receive()


def restart(model: SyncModel) -> object:
    """#{strategy => one_for_one,
      intensity => 3}

    The mailbox is kept. The restarts are counted from the start, not per second.
    """
    with actors.system(model) as system:
        counter = system.start(Counter, 5, on_failure=actors.restart(3))
        for message in (("add", 1), "crash", ("add", 2)):
            counter.tell(message)
        return counter.ask("get")


def end_it(model: SyncModel) -> Any:
    """#{restart => temporary}

    Later messages raise `Stopped`, where Erlang drops them.
    """
    with actors.system(model) as system:
        counter = system.start(Counter, on_failure=actors.stop)
        counter.tell("crash")
        try:
            counter.ask("get")
        except actors.Stopped:
            return "stopped"


def crash_together(model: SyncModel) -> str:
    """link(Pid)
    #{strategy => one_for_all}

    The default: a told message that fails ends all actors of the system.
    """
    try:
        with actors.system(model) as system:
            system.start(Counter).tell("crash")
    except* LookupError:
        result = "all have ended"
    return result


def crash_of_a_call(model: SyncModel) -> Any:
    """catch gen_server:call(Pid, crash)

    Only the caller has the exception, and the actor goes on; in Erlang it has died.
    """
    with actors.system(model) as system:
        counter = system.start(Counter, 5)
        try:
            counter.ask("crash")
        except LookupError:
            return counter.ask("get")


def resume(model: SyncModel) -> object:
    """% no counterpart

    The object goes on as the failure has left it.
    """
    with actors.system(model) as system:
        counter = system.start(Counter, 5, on_failure=actors.resume)
        counter.tell("crash")
        return counter.ask("get")


def end_in_order(model: SyncModel) -> Any:
    """gen_server:stop(Pid)

    After what is in the mailbox; with `now=True`, after the message that it handles.
    """
    with actors.system(model) as system:
        counter = system.start(Counter)
        counter.stop()
        try:
            counter.tell(("add", 1))
        except actors.Stopped:
            return "stopped"


def register(model: SyncModel) -> object:
    """register(counter, Pid)
    whereis(counter)

    References are objects: a dict has them by name.
    """
    with actors.system(model) as system:
        known = {"counter": system.start(Counter, 5)}
        return known["counter"].ask("get")


def receive_by_pattern(model: SyncModel) -> object:
    """receive {urgent, M} -> M
    after 0 -> receive M -> M end
    end

    A mailbox is read in order. What may come first has a channel of its own.
    """
    urgent, usual = model.Channel(1), model.Channel(1)
    usual.send("later")
    urgent.send("first")
    return model.select(urgent, usual, priority=True).item


def wait_no_longer(model: SyncModel) -> object:
    """receive M -> M
    after 10 -> late
    end

    In seconds, as all times here.
    """
    try:
        return model.Channel().receive(timeout=0.01)
    except TimeoutError:
        return "late"


if __name__ == "__main__":
    threads = load("threads")
    print(threads.run(restart, threads))
