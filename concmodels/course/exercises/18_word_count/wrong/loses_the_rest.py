"""Diagnosis: the counts are not right: {'a': 2, 'b': 2, 'c': 1}"""

from collections import Counter


def count_piece(lines):
    return Counter(word for line in lines for word in line.split())


def count(pool, lines, parts):
    size = len(lines) // parts - (len(lines) > 3)
    pieces = [lines[number * size : (number + 1) * size] for number in range(parts)]
    total = Counter()
    for part in pool.map(count_piece, pieces):
        total.update(part)
    return total
