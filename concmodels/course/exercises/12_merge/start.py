"""Two channels become one."""


def merge(model, one, other, out):
    for item in one:
        out.send(item)
    for item in other:
        out.send(item)
