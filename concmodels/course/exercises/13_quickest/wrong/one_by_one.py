"""Diagnosis: another answer than the quickest is returned"""


def quickest(model, functions, seconds):
    return functions[0]()
