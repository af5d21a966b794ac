"""Diagnosis: ValueError: range() arg 3 must not be zero"""

from collections import Counter


def count_piece(lines):
    return Counter(word for line in lines for word in line.split())


def count(pool, lines, parts):
    size = -(-len(lines) // parts)
    pieces = [lines[begin : begin + size] for begin in range(0, len(lines), size)]
    total = Counter()
    for part in pool.map(count_piece, pieces):
        total.update(part)
    return total
