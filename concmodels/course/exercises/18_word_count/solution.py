"""Words, counted by the workers of a pool: a piece of the lines for each call."""

from collections import Counter


def count_piece(lines):
    return Counter(word for line in lines for word in line.split())


def count(pool, lines, parts):
    size = max(1, -(-len(lines) // parts))
    pieces = [lines[begin : begin + size] for begin in range(0, len(lines), size)]
    total = Counter()
    for part in pool.map(count_piece, pieces):
        total.update(part)
    return total
