"""Calls of the methods of containers, made from their names: what each does to its container is found by doing it."""

from collections import Counter, OrderedDict, defaultdict, deque

MADE = {
    list: "[3, 1, 2]",
    dict: "{'a': 1, 'b': 2}",
    set: "{1, 2, 3}",
    deque: "deque([1, 2, 3])",
    bytearray: "bytearray(b'abc')",
    OrderedDict: "OrderedDict(a=1, b=2)",
    defaultdict: "defaultdict(int, a=1)",
    Counter: "Counter(a=2, b=1)",
}
NAMES = {"Counter": Counter, "OrderedDict": OrderedDict, "defaultdict": defaultdict, "deque": deque}
ARGUMENTS = (
    "", "1", "'a'", "97", "b'a'", "[7, 8]", "{9}", "{'c': 5}", "'a', 9", "0, 9", "0, 97", "slice(0, 2)",
    "slice(0, 2), [9]", "b'bc', b'x'", "['a', 'q']",
)  # fmt: skip
"""What methods are given, the first of these that fit."""


def made(kind):
    """Return a new container of this kind."""
    return evaluated(MADE[kind])


def evaluated(text, **names):
    """Return the value of an expression."""
    return eval(text, dict(NAMES), names)


def names_of(kind):
    """Yield the names of the methods of these containers, but for those that make an object, or are of all objects."""
    for name in sorted(set(dir(kind)) - set(dir(object))):
        if callable(getattr(kind, name)) and name not in ("fromkeys", "maketrans", "fromhex", "__class_getitem__"):
            yield name


def calls_of(kind, name):
    """Yield the arguments that a method of these containers takes without an error, as text."""
    for given in ARGUMENTS:
        try:
            evaluated(f"x.{name}({given})", x=made(kind))
        except TypeError, ValueError, LookupError, AttributeError, BufferError:
            continue
        yield given


def changes(kind, name, given):
    """Return whether this call changes its container."""
    it = made(kind)
    evaluated(f"x.{name}({given})", x=it)
    return told(it) != told(made(kind))


def told(it):
    """What can be told of a container: what is in it, in its order."""
    return (list(it.items()) if isinstance(it, dict) else list(it)), getattr(it, "maxlen", None)
