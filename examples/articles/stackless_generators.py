"""What only a whole stack can do: hand out values from the depth of a recursion, without `yield from`."""

import concmodels.stackless as stackless

type Tree = tuple[Tree | int, ...]

TREE = ((1, 2), 3, ((4,), 5))


def walk(tree: Tree, found: stackless.channel) -> None:
    for item in tree:
        if isinstance(item, tuple):
            walk(item, found)  # an ordinary call
        else:
            found.send(item)  # however deep, the whole stack waits here


def leaves(tree: Tree) -> stackless.channel:
    found = stackless.channel()

    def whole() -> None:
        walk(tree, found)
        found.send_exception(StopIteration)

    stackless.tasklet(whole)()
    return found


print(*leaves(TREE))
print("the same leaves:", all(a == b for a, b in zip(leaves(TREE), leaves((1, (2, 3), (4, (5,)))), strict=True)))
