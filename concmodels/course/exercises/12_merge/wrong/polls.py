"""Diagnosis: a task asks again and again"""

from concmodels.errors import ChannelClosed, WouldBlock


def merge(model, one, other, out):
    channels = [one, other]
    with out:
        while channels:
            for channel in list(channels):
                try:
                    out.send(channel.receive_nowait())
                except WouldBlock:
                    continue
                except ChannelClosed:
                    channels.remove(channel)
