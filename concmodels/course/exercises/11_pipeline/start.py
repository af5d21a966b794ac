"""A stage of a pipeline."""


def stage(function, source, target):
    for item in source:
        target.send(function(item))
