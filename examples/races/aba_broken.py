"""A stack without a big lock: a push or pop replaces the top if the top is still the one that it has seen.

`slow` sees A on top, and B below it. Before it replaces A by B, `quick` pops A and B, and pushes A again. A is on top
as before, so B becomes the top, which `quick` has taken already: from A to B and back to A, nothing seems to have
changed.
"""

import threading


class AtomicReference:
    """As processors have it: reads, and compares and sets, in one step each."""

    def __init__(self, value: Node | None) -> None:
        self._value = value
        self._lock = threading.Lock()

    def get(self) -> Node | None:
        with self._lock:
            return self._value

    def compare_and_set(self, old: Node | None, new: Node | None) -> bool:
        with self._lock:
            if self._value is not old:
                return False
            self._value = new
            return True


class Node:
    def __init__(self, name: str, below: Node | None) -> None:
        self.name = name
        self.below = below


class Stack:
    def __init__(self, *names: str) -> None:
        top = None
        for name in names:
            top = Node(name, top)
        self.top = AtomicReference(top)

    def pop(self) -> Node:
        while True:
            node = self.top.get()
            if self.top.compare_and_set(node, node.below):  # type: ignore[union-attr]
                return node  # type: ignore[return-value]

    def push(self, node: Node) -> None:
        while True:
            node.below = self.top.get()
            if self.top.compare_and_set(node.below, node):
                return


def slow(stack: Stack, taken: list[str]) -> None:
    taken.append(stack.pop().name)


def quick(stack: Stack, taken: list[str]) -> None:
    node = stack.pop()
    taken.append(stack.pop().name)
    stack.push(node)


def main() -> None:
    stack, one, other = Stack("C", "B", "A"), list[str](), list[str]()
    threads = [threading.Thread(target=slow, args=(stack, one)), threading.Thread(target=quick, args=(stack, other))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = one + other
    node = stack.top.get()
    while node is not None:
        found.append(node.name)
        node = node.below
    assert sorted(found) == ["A", "B", "C"], f"taken, and left on the stack: {sorted(found)}"


if __name__ == "__main__":
    main()
