"""The first two statements are parsed at once: one of them by a lexer that has no keywords yet."""

import threading

import sqlparse


def main() -> None:
    kinds: list[object] = []

    def parse() -> None:
        kinds.append(sqlparse.parse("select 1")[0].get_type())

    threads = [threading.Thread(target=parse) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kinds == ["SELECT", "SELECT"], kinds
