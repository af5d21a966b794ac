"""Does a process see the context variable of the one that started it? That depends on how it was started."""

import multiprocessing
from contextvars import ContextVar
from multiprocessing.queues import SimpleQueue

request = ContextVar("request", default="nothing")


def see(seen: SimpleQueue[str]) -> None:
    seen.put(request.get())
    seen.close()


def main() -> None:
    request.set("the value")
    for method in multiprocessing.get_all_start_methods():
        context = multiprocessing.get_context(method)
        seen = context.SimpleQueue()
        child = context.Process(target=see, args=(seen,))  # type: ignore[attr-defined]
        child.start()
        print(f"{method:10} sees {seen.get()}")
        child.join()


if __name__ == "__main__":
    main()
