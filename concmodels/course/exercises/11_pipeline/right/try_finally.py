"""The same with `try`: first the ends, then the error that is none."""

from concmodels.errors import ChannelClosed


def stage(function, source, target):
    try:
        for item in source:
            target.send(function(item))
    except ChannelClosed:
        pass
    finally:
        target.close()
        source.close()
