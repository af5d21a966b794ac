"""Diagnosis: one source is not listened to while the other is open"""


def merge(model, one, other, out):
    with out:
        for channel in (one, other):
            for item in channel:
                out.send(item)
