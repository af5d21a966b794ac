"""What goes to another interpreter as it is, without pickle? And which objects do both interpreters have?"""

from concurrent import interpreters


def identities() -> list[int]:
    import builtins

    return [id(None), id(7), id(int), id(Exception), id(builtins.len)]


KINDS: dict[str, object] = {
    "None": None, "bool": True, "int": 7, "float": 1.5, "str": "text", "bytes": b"bytes", "tuple of these": (1, "a"),
    "memoryview": memoryview(b"bytes"), "Queue": interpreters.create_queue(),
    "complex": 1j, "list": [1], "dict": {"a": 1}, "function": identities,
}  # fmt: skip


def main() -> None:
    shareable = [kind for kind, value in KINDS.items() if interpreters.is_shareable(value)]
    print("shareable:", *shareable, sep=" | ")
    print("pickled, or refused:", *(kind for kind in KINDS if kind not in shareable), sep=" | ")
    other = interpreters.create()
    there = other.call(identities)
    same = [mine == theirs for mine, theirs in zip(identities(), there, strict=True)]
    print("the same object in both:", dict(zip(("None", "7", "int", "Exception", "len"), same, strict=True)))
    other.close()


if __name__ == "__main__":
    main()
