"""Two tasks set the same thread-local variable. Does the first one still see its own value?"""

import asyncio
import threading

import gevent
from gevent import monkey
from greenlet import greenlet


def in_threads() -> bool:
    data, seen = threading.local(), list[bool]()
    both = threading.Barrier(2)

    def task(name: str) -> None:
        data.name = name
        both.wait()  # both have set it
        seen.append(data.name == name)

    threads = [threading.Thread(target=task, args=(name,)) for name in ("first", "second")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return all(seen)


async def in_asyncio() -> bool:
    data = threading.local()

    async def task(name: str) -> object:
        data.name = name
        await asyncio.sleep(0)
        return data.name == name

    return all(await asyncio.gather(task("first"), task("second")))


def in_greenlets() -> bool:
    data, seen = threading.local(), list[bool]()

    def task(name: str) -> None:
        data.name = name
        main.switch()
        seen.append(data.name == name)

    main = greenlet.getcurrent()
    tasks = [greenlet(task), greenlet(task)]
    for it, name in zip(tasks, ("first", "second"), strict=True):
        it.switch(name)
    for it in tasks:
        it.switch()
    return all(seen)


def in_gevent() -> bool:
    data, seen = threading.local(), list[bool]()

    def task(name: str) -> None:
        data.name = name
        gevent.sleep(0)
        seen.append(data.name == name)

    gevent.joinall([gevent.spawn(task, "first"), gevent.spawn(task, "second")], raise_error=True)
    return all(seen)


def show(kind: str, own: bool) -> None:
    print(f"{kind:20}", "each its own" if own else "one for all")


if __name__ == "__main__":
    show("threads", in_threads())
    show("asyncio tasks", asyncio.run(in_asyncio()))
    show("greenlets", in_greenlets())
    show("gevent", in_gevent())
    monkey.patch_thread()
    show("gevent, patched", in_gevent())
