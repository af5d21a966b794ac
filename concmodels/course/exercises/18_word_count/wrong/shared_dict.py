"""Diagnosis: on processes: the counts are not right: {}"""

import threading
from collections import Counter

total = Counter()
lock = threading.Lock()


def count_piece(lines):
    for line in lines:
        for word in line.split():
            with lock:
                total[word] += 1


def count(pool, lines, parts):
    total.clear()
    size = max(1, -(-len(lines) // parts))
    list(pool.map(count_piece, [lines[begin : begin + size] for begin in range(0, len(lines), size)]))
    return total
