"""Diagnosis: a task waits to send an item that nobody will receive"""

from contextlib import suppress

from concmodels.errors import ChannelClosed


def stage(function, source, target):
    with suppress(ChannelClosed), target:
        for item in source:
            target.send(function(item))
