"""A stage of a pipeline: whichever end is closed, it closes the other."""

from contextlib import suppress

from concmodels.errors import ChannelClosed


def stage(function, source, target):
    with suppress(ChannelClosed), source, target:
        for item in source:
            target.send(function(item))
