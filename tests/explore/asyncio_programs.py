"""Random asyncio programs, each made from a number: a few tasks that wait for time, threads and each other."""

from random import Random

from concmodels.explore.scenarios import of_file

HEAD = """import asyncio
import time


async def main():
    log, cancelled = [], []
    lock, event, queue, condition = asyncio.Lock(), asyncio.Event(), asyncio.Queue(1), asyncio.Condition()
    semaphore, future, items = asyncio.Semaphore(1), asyncio.get_running_loop().create_future(), []
    tasks = {}

    async def quick(name):
        log.append(name)
        return name
"""
TAIL = """
    {start}
    results = await asyncio.gather(*tasks.values(), return_exceptions=True)
    return (*log, *(it if isinstance(it, str) else type(it).__name__ for it in results))
"""
WAITS = [
    "await asyncio.sleep(0)",
    "await asyncio.sleep({short})",
    "await asyncio.sleep({short})",
    "await asyncio.to_thread(int)",
    "await asyncio.to_thread(log.append, {mark!r})",
    "await event.wait()",
    "await queue.put({mark!r})",
    "log.append(await queue.get())",
    "log.append(await asyncio.wait_for(queue.get(), {short}))",
    "log.append(await quick({mark!r}))",
    "await asyncio.wait([future], timeout={short})",
]
ACTS = [
    "event.set()",
    "event.clear()",
    "items.append({mark!r})",
    "tasks[{other}].cancel()",
    "log.append(len(items))",
    "log.append(lock.locked())",
    "future.done() or future.set_result({mark!r})",
    "tasks[{other}].add_done_callback(lambda _: log.append({mark!r}))",
    "asyncio.get_running_loop().call_later({short}, log.append, {mark!r})",
    "log.append(round(time.monotonic(), 3))",
    "log.append(round(asyncio.get_running_loop().time(), 3))",
]
BLOCKS = [
    "async with lock:",
    "async with semaphore:",
    "async with asyncio.timeout({short}):",
    "async with condition:",
    "if not items:",
]


class Program:
    """The program of a number, as a file in this folder; `text` is its source."""

    def __init__(self, number, folder):
        self._random = Random(number)
        self._marks = iter("abcdefghijklmnopqrstuvwxyz")
        self._tasks = self._random.randint(2, 3)
        self.text = HEAD + "".join(map(self._task, range(self._tasks))) + TAIL.format(start=self._start())
        self.path = folder / f"asyncio_{number}.py"
        self.path.write_text(self.text)

    @property
    def scenario(self):
        return of_file(str(self.path))

    def _start(self):
        return "; ".join(f"tasks[{task}] = asyncio.create_task(task_{task}())" for task in range(self._tasks))

    def _task(self, number):
        lines = [line for _ in range(self._random.randint(2, 3)) for line in self._statement()]
        body = "".join(f"        {line}\n" for line in [*lines, f"log.append({next(self._marks)!r})"])
        return f"\n    async def task_{number}():\n{body}"

    def _statement(self):
        draw = self._random.random()
        if draw < 0.65:
            return [self._of(WAITS)]
        if draw < 0.85:
            return [self._of(ACTS)]
        block = self._of(BLOCKS)
        inside = [self._of(WAITS if self._random.random() < 0.7 else ACTS) for _ in range(self._random.randint(1, 2))]
        if "condition" in block and self._random.random() < 0.7:
            inside.append(self._random.choice(["condition.notify_all()", "await condition.wait()"]))
        return [block, *(f"    {line}" for line in inside)]

    def _of(self, texts):
        short = self._random.choice([0.01, 0.01, 0.02, 0.03])
        other = self._random.randrange(self._tasks)
        return self._random.choice(texts).format(short=short, mark=next(self._marks, "z"), other=other)
