"""A generic function is called while another thread registers a type, and its registry changes while it is read."""

import threading

from pure_functools import singledispatch


def main() -> None:
    @singledispatch
    def show(value: object) -> str:
        return "something"

    def register() -> None:
        show.register(int, lambda value: "a number")

    threads = [threading.Thread(target=register), threading.Thread(target=show, args=(1.5,))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
