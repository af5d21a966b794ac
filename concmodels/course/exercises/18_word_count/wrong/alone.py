"""Diagnosis: the workers have nothing to do"""

from collections import Counter


def count_piece(lines):
    return Counter(word for line in lines for word in line.split())


def count(pool, lines, parts):
    size = max(1, -(-len(lines) // parts))
    pieces = [lines[begin : begin + size] for begin in range(0, len(lines), size)]
    total = Counter()
    for part in map(count_piece, pieces):
        total.update(part)
    return total
