"""Two tasks count a visitor each. On most schedules, both are counted."""

import threading

visitors = 0


def visit():
    global visitors
    seen = visitors
    visitors = seen + 1


def main():
    threads = [threading.Thread(target=visit) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert visitors == 2, f"{visitors} of 2 visitors are counted"
