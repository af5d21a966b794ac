"""A stack without a big lock: a push or pop replaces the top if the top is still the one that it has seen.

Each push makes a new node, and no node is ever changed: a top that is the same object has the same ones below it. A
node that somebody still holds is not freed, so no new one takes its address. (Where memory is freed by hand, a number
that grows with each change stands beside the reference, and both are compared.)
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

    def pop(self) -> str:
        while True:
            node = self.top.get()
            if self.top.compare_and_set(node, node.below):  # type: ignore[union-attr]
                return node.name  # type: ignore[union-attr]

    def push(self, name: str) -> None:
        while True:
            below = self.top.get()
            if self.top.compare_and_set(below, Node(name, below)):
                return


def slow(stack: Stack, taken: list[str]) -> None:
    taken.append(stack.pop())


def quick(stack: Stack, taken: list[str]) -> None:
    name = stack.pop()
    taken.append(stack.pop())
    stack.push(name)


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
