"""Diagnosis: a task waits for an item, and nobody is left to send one or to close the channel"""


def stage(function, source, target):
    for item in source:
        target.send(function(item))
