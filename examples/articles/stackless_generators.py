"""What only a whole stack can do: hand out values from the depth of a recursion, without `yield from`."""

import concmodels.stackless as stackless

TREE = ((1, 2), 3, ((4,), 5))


def walk(tree, found):
    for item in tree:
        if isinstance(item, tuple):
            walk(item, found)  # an ordinary call
        else:
            found.send(item)  # however deep, the whole stack waits here


def leaves(tree):
    found = stackless.channel()

    def whole():
        walk(tree, found)
        found.send_exception(StopIteration)

    stackless.tasklet(whole)()
    return found


print(*leaves(TREE))
print("the same leaves:", all(a == b for a, b in zip(leaves(TREE), leaves((1, (2, 3), (4, (5,)))), strict=True)))
