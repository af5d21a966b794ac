"""Models with one defect each: a judge of models must find every one of them.

    python tests/mutants                 is each mutant killed by what `make test` holds its model to?
    python tests/mutants --whole         by how many of all guarantees?

A mutant is a function that is given a model, as `concmodels.catalog.load` finds it, and spoils one thing of it, in this
very process. Its docstring says what is then broken. A mutant lives in a process of its own (`held.py`); the children
of that process, the interpreters and whatever a forkserver forks, are spoiled by `chosen.py`.

steps.py      the names of internal steps that mutants change: the one table of them
channels.py, groups.py, selects.py, pools.py, runs.py, sockets.py    mutants of the models of one process
boundary_channels.py, boundary_groups.py, boundary_pools.py          mutants of processes and subinterpreters
judge.py      holds them to guarantees, and tells which of these kill them
"""

from importlib import import_module

FILES = (
    *("channels", "groups", "selects", "pools", "runs", "sockets"),
    *("boundary_channels", "boundary_groups", "boundary_pools"),
)


class Mutant:
    """One defect of one model; `first` are the guarantees, or the chapters, that should find it."""

    def __init__(self, model, first, spoil):
        self.model = model
        self.first = first
        self.spoil = spoil
        self.file = spoil.__module__.rpartition(".")[2]
        self.name = spoil.__name__
        self.breaks = spoil.__doc__

    def __repr__(self):
        return f"{self.file}.{self.name}"


def mutant(model, *first):
    """Mark a function as a mutant of this model; `first` names what should find it, chapters or guarantees."""

    def mark(spoil):
        spoil.mutant = Mutant(model, first, spoil)
        return spoil

    return mark


def replace(owner, name):
    """Put a function in the place of a method or a function; its first argument is the original."""
    original = getattr(owner, name)

    def put(function):
        def replaced(*args, **kwargs):
            return function(original, *args, **kwargs)

        setattr(owner, name, replaced)
        return function

    return put


def every(count):
    """Return a function that says True at every so many-th call: a defect that shows now and then."""
    calls = 0

    def due():
        nonlocal calls
        calls += 1
        return calls % count == 0

    return due


def named(name):
    """The mutant of this name, as its `repr` gives it."""
    file, _, function = name.partition(".")
    return getattr(import_module(f"{__name__}.{file}"), function).mutant


def mutants():
    """All of them, file by file."""
    modules = [import_module(f"{__name__}.{file}") for file in FILES]
    return [it.mutant for module in modules for it in vars(module).values() if hasattr(it, "mutant")]
