"""The first of several answers."""


def quickest(model, functions, seconds):
    return functions[0]()
