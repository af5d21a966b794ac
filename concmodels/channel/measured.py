"""The tasks of the channel program for models whose tasks are processes.

The parent can't see what its children use, so each of these functions returns the resources that it used after the
warm-up. Children import this module, so it imports next to nothing.
"""

from concmodels.channel.tasks import echo, emit, receive, send, take
from concmodels.programs.usage import since, usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.contract import Channel
    from concmodels.programs.usage import Usage


def measured_echo(inbox: Channel[Any], outbox: Channel[Any]) -> Usage:
    """Run an `echo` in a process of its own."""
    outbox.send(inbox.receive())
    before = usage()
    echo(inbox, outbox)
    return since(before)


def measured_send(orders: Channel[int], outbox: Channel[Any], number: int, step: int, payload: int) -> Usage:
    """Run a `send` in a process of its own."""
    number = emit(outbox, range(number, orders.receive(), step), payload)
    before = usage()
    send(orders, outbox, number, step, payload)
    return since(before)


def measured_receive(orders: Channel[int], inbox: Channel[Any], reports: Channel[Any], payload: int) -> Usage:
    """Run a `receive` in a process of its own."""
    orders.receive()
    reports.send(take(inbox, payload))
    before = usage()
    receive(orders, inbox, reports, payload)
    return since(before)
