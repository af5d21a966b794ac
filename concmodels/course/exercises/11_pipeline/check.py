from contextlib import suppress

from pipeline import stage

from concmodels.errors import ChannelClosed


def add_one(number):
    return number + 1


def double(number):
    return 2 * number


def numbers(channel, count):
    with suppress(ChannelClosed), channel:
        for number in range(count):
            channel.send(number)


def pipeline(model, count, read):
    first, second, third = (model.Channel(0, name) for name in ("numbers", "added", "doubled"))
    with model.TaskGroup() as group:
        group.spawn(numbers, first, count)
        group.spawn(stage, add_one, first, second, name="add_one")
        group.spawn(stage, double, second, third, name="double")
        return read(third)


def through_two_stages(model):
    found = pipeline(model, 2, list)
    assert len(found) == 2, f"{len(found)} of 2 numbers come through"
    assert found == [2, 4], f"2 and 4 should come out, not {found}"


def a_reader_that_stops(model):
    def first_only(channel):
        found = channel.receive()
        channel.close()
        return found

    assert pipeline(model, 3, first_only) == 2
