"""Functions for the tasks of `test_looking.py`. Each child imports this file, so it imports nothing that is heavy."""

from concmodels.models.memory import looking


def look_always(*channels):
    """Have these ends of channels look each time that they wait, and never give that up."""
    looking._LOOKS = 20_000
    for channel in channels:
        always(channel._looking)


def always(place):
    """Have this place look each time that somebody waits there."""
    place.rest, place._looks, place._measures, place._gap = 0, 1 << 60, False, 1 << 62


def worker_looks_always():
    from concmodels.models.memory.pool import worker

    looking._LOOKS = 20_000
    always(worker.here[0]._looking)


def worker_never_finds():
    """Have the worker look in vain, and block at once after that: it is as if the work came between the two."""
    worker_looks_always()
    looking._LOOKS = 0


def answer(there, back):
    look_always(there, back)
    for item in there:
        back.send(item)
    back.close()


def wait_for_item(ready, channel, results, way):
    look_always(channel)
    ready.send(1)
    try:
        results.send(channel.receive() if way == "receive" else next(iter(channel), "over"))
    except BaseException as error:
        results.send_nowait(type(error).__name__)
        raise
