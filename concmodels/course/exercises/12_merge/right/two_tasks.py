"""A task for each source; the group's end is the end of both."""


def copy(source, out):
    for item in source:
        out.send(item)


def merge(model, one, other, out):
    with out, model.TaskGroup() as group:
        group.spawn(copy, one, out)
        group.spawn(copy, other, out)
