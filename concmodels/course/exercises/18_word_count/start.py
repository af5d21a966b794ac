"""Words, counted by the workers of a pool."""

from collections import Counter


def count(pool, lines, parts):
    return Counter(word for line in lines for word in line.split())
