"""Diagnosis: ChannelClosed"""


def stage(function, source, target):
    with source, target:
        for item in source:
            target.send(function(item))
