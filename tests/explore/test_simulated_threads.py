"""Programs of `threading`, `queue` and `time`, unmodified, in the simulated world."""

import logging
import textwrap

import pytest

from concmodels.explore import explore
from concmodels.explore.errors import CannotExplore

HEADER = """
import queue, threading, time
from concurrent.futures import ThreadPoolExecutor

def together(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


@pytest.fixture
def explored(tmp_path):
    """Explore a program given as text, whose function `main` returns what there is to see."""

    def explored(text, **options):
        path = tmp_path / "program.py"
        path.write_text(HEADER + textwrap.dedent(text))
        return explore(str(path), **options)

    return explored


HOLD = {
    "lock": """
        def main():
            lock, numbers = threading.Lock(), [0]
            def add():
                with lock:
                    numbers[0] += 1
            together(add, add)
            return numbers[0] == 2 and not lock.locked()
        """,
    "lock, not blocking": """
        def main():
            lock, got = threading.Lock(), []
            def attempt(number):
                if lock.acquire(blocking=False):
                    got.append(number)
            together(lambda: attempt(1), lambda: attempt(2))
            return len(got) == 1
        """,
    "lock with a timeout": """
        def main():
            lock = threading.Lock()
            lock.acquire()
            begin = time.monotonic()
            return not lock.acquire(timeout=2.5) and time.monotonic() - begin == 2.5
        """,
    "the lock comes before the timeout": """
        def main():
            lock = threading.Lock()
            lock.acquire()
            def let_go():
                time.sleep(1)
                lock.release()
            thread = threading.Thread(target=let_go)
            thread.start()
            return lock.acquire(timeout=5) and time.monotonic() == 1
        """,
    "rlock": """
        def main():
            lock, numbers = threading.RLock(), [0]
            def add():
                with lock, lock:
                    numbers[0] += 1
            together(add, add)
            return numbers[0] == 2
        """,
    "condition": """
        def main():
            items, changed = [], threading.Condition()
            def put():
                with changed:
                    items.append(1)
                    changed.notify()
            def take():
                with changed:
                    changed.wait_for(lambda: items)
                    items.pop()
            together(put, take)
            return items == []
        """,
    "condition with a plain lock and a timeout": """
        def main():
            changed = threading.Condition(threading.Lock())
            with changed:
                return changed.wait(timeout=0.5) is False and time.monotonic() == 0.5
        """,
    "semaphore": """
        def main():
            places, inside, most = threading.Semaphore(1), [0], [0]
            lock = threading.Lock()
            def enter():
                with places:
                    with lock:
                        inside[0] += 1
                        most[0] = max(most[0], inside[0])
                    with lock:
                        inside[0] -= 1
            together(enter, enter)
            return most[0] == 1
        """,
    "bounded semaphore": """
        def main():
            places = threading.BoundedSemaphore(1)
            places.acquire()
            places.release()
            try:
                places.release()
            except ValueError:
                return True
        """,
    "event": """
        def main():
            ready, told = threading.Event(), []
            def tell():
                told.append("it")
                ready.set()
            thread = threading.Thread(target=tell)
            thread.start()
            return ready.wait() and ready.is_set() and told == ["it"]
        """,
    "event, looked at": """
        def main():
            ready = threading.Event()
            thread = threading.Thread(target=ready.set)
            thread.start()
            while not ready.is_set():
                time.sleep(1)
            return time.monotonic() in (0, 1)
        """,
    "event with a timeout": """
        def main():
            return threading.Event().wait(timeout=3) is False and time.monotonic() == 3
        """,
    "barrier": """
        def main():
            barrier, before, after = threading.Barrier(2), [], []
            def go():
                before.append(1)
                barrier.wait()
                after.append(len(before))
            together(go, go)
            return after == [2, 2]
        """,
    "barrier with a timeout": """
        def main():
            try:
                threading.Barrier(2).wait(timeout=1)
            except threading.BrokenBarrierError:
                return True
        """,
    "timer": """
        def main():
            rung = []
            timer = threading.Timer(5, rung.append, ["now"])
            timer.start()
            timer.join()
            return rung == ["now"] and time.monotonic() == 5
        """,
    "timer, cancelled": """
        def main():
            rung = []
            timer = threading.Timer(5, rung.append, ["now"])
            timer.start()
            timer.cancel()
            timer.join()
            return rung == [] and time.monotonic() == 0
        """,
    "local": """
        class Own(threading.local):
            def __init__(self, number):
                self.number = number
        own, seen = Own(7), []
        def main():
            def use(number):
                seen.append(own.number)
                own.number = number
                time.sleep(1)
                seen.append(own.number)
            together(lambda: use(1), lambda: use(2))
            return sorted(seen) == [1, 2, 7, 7] and own.number == 7
        """,
    "queue": """
        def main():
            jobs, done = queue.Queue(maxsize=1), []
            def work():
                while (job := jobs.get()) is not None:
                    done.append(job)
                    jobs.task_done()
                jobs.task_done()
            thread = threading.Thread(target=work)
            thread.start()
            for job in (1, 2, None):
                jobs.put(job)
            jobs.join()
            thread.join()
            return done == [1, 2]
        """,
    "queue, empty and full": """
        def main():
            jobs = queue.LifoQueue(1)
            try:
                jobs.get(timeout=1)
            except queue.Empty:
                jobs.put_nowait(1)
                try:
                    jobs.put(2, timeout=1)
                except queue.Full:
                    return jobs.get() == 1 and time.monotonic() == 2
        """,
    "priority queue": """
        def main():
            jobs = queue.PriorityQueue()
            together(lambda: jobs.put(2), lambda: jobs.put(1))
            return [jobs.get(), jobs.get()] == [1, 2]
        """,
    "simple queue": """
        def main():
            items = queue.SimpleQueue()
            together(lambda: items.put(1), lambda: items.put(2))
            got = {items.get(), items.get()}
            try:
                items.get(timeout=1)
            except queue.Empty:
                return got == {1, 2} and items.empty()
        """,
    "thread pool": """
        def main():
            with ThreadPoolExecutor(2) as pool:
                futures = [pool.submit(pow, 2, n) for n in range(2)]
                return [future.result() for future in futures] == [1, 2] and list(pool.map(abs, [-1])) == [1]
        """,
    "subclass of Thread": """
        class Worker(threading.Thread):
            def __init__(self, number):
                super().__init__(name=f"worker {number}")
                self.number = self.square = number
            def run(self):
                self.square = self.number ** 2
        def main():
            workers = [Worker(2), Worker(3)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            return [worker.square for worker in workers] == [4, 9] and workers[0].name == "worker 2"
        """,
    "what a thread knows of itself": """
        def main():
            seen = {}
            def look():
                me = threading.current_thread()
                seen[me.name] = me.ident == threading.get_ident() and me.is_alive() and me in threading.enumerate()
            thread = threading.Thread(target=look, name="other")
            alive = thread.is_alive(), thread.ident
            thread.start()
            thread.join()
            main = threading.main_thread() is threading.current_thread()
            return seen == {"other": True} and alive == (False, None) and main and not thread.is_alive()
        """,
    "join with a timeout": """
        def main():
            thread = threading.Thread(target=time.sleep, args=(9,), daemon=True)
            thread.start()
            thread.join(timeout=1)
            return thread.is_alive() and threading.active_count() == 2
        """,
    "the program waits for its threads": """
        def main():
            threading.Thread(target=time.sleep, args=(9,)).start()
            return True
        """,
    "clocks": """
        def main():
            wall, counter = time.time(), time.perf_counter_ns()
            time.sleep(0.25)
            return time.time() - wall == 0.25 and time.perf_counter_ns() - counter == 250_000_000
        """,
    "an excepthook of its own": """
        def main():
            caught = []
            threading.excepthook = lambda args: caught.append(args.exc_type)
            together(lambda: 1 / 0)
            return caught == [ZeroDivisionError]
        """,
    "_thread": """
        import _thread
        def main():
            lock, ran = _thread.allocate_lock(), []
            lock.acquire()
            _thread.start_new_thread(lambda number: (ran.append(number), lock.release()), (1,))
            lock.acquire()
            return ran == [1]
        """,
}


@pytest.mark.parametrize("program", HOLD.values(), ids=HOLD)
def test_it_does_what_real_threads_do(explored, program, thorough):
    limit = {"seconds": 5.0} if thorough else {"schedules": 400}
    report = explored(program, **limit)
    assert report.failure is None, str(report)
    assert dict(report.outcomes).keys() == {True}


IMPORTED = {
    "threading": "import threading as changed",
    "queue": "import queue as changed",
    "a pool": "import concurrent.futures.thread\nchanged = concurrent.futures.thread",
    "what a pool imports": "from concurrent import futures\nchanged = futures.thread.queue",
}


@pytest.mark.parametrize("imports", IMPORTED.values(), ids=IMPORTED)
def test_each_run_finds_the_simulated_modules_as_python_has_them(tmp_path, imports):
    path = tmp_path / "program.py"
    path.write_text(f"""
import threading
{imports}

def main():
    assert not hasattr(changed, "left_behind")
    changed.left_behind = True
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
""")
    report = explore(str(path), search="random", schedules=20)
    assert report.failure is None, str(report)
    assert report.schedules == 20


@pytest.mark.parametrize("name", [name for name in HOLD if name != "thread pool"])
def test_every_schedule_of_a_small_program_is_tried(explored, name):
    report = explored(HOLD[name], search="all", seconds=50.0, schedules=100_000)
    assert report.verdict == "held in all" or report.unseen, str(report)


def test_the_wrong_waiter_is_woken(explored, thorough):
    """`notify` wakes one of several that wait for different things: CPython's own Condition shows it."""
    buffer = """
        class Buffer:
            def __init__(self):
                self.items, self.changed = [], threading.Condition()
            def put(self, item):
                with self.changed:
                    while len(self.items) >= 1:
                        self.changed.wait()
                    self.items.append(item)
                    self.changed.notify()
            def get(self):
                with self.changed:
                    while not self.items:
                        self.changed.wait()
                    self.changed.notify()
                    return self.items.pop()
        def main():
            buffer = Buffer()
            together(lambda: buffer.put(1), lambda: buffer.put(2), buffer.get, buffer.get)
        """
    report = explored(buffer, seconds=40.0)
    assert report.failure is not None and report.failure.kind == "Deadlock"
    assert any("waits in Condition.wait" in wait for wait in report.failure.error.waits)
    schedules = 200 if thorough else 60
    assert explored(buffer.replace("notify()", "notify_all()"), schedules=schedules).failure is None


def test_a_deadlock_names_the_lock_and_its_owner(explored):
    report = explored(
        """
        def main():
            one, other = threading.Lock(), threading.Lock()
            def take(first, second):
                with first, second:
                    pass
            together(lambda: take(one, other), lambda: take(other, one))
        """
    )
    assert report.failure is not None
    assert {wait.split(" at ")[0] for wait in report.failure.error.waits} >= {
        "main: waits in Thread.join",
    }
    assert any("waits for lock" in wait and "which Thread-" in wait for wait in report.failure.error.waits)


def test_what_a_thread_dies_of_is_a_failure(explored):
    report = explored("def main():\n    together(lambda: 1 / 0)")
    assert report.failure is not None and report.failure.kind == "ZeroDivisionError"


def test_a_daemon_does_not_keep_the_program_alive(explored):
    report = explored(
        """
        def tick():
            while True:
                time.sleep(1)
        def main():
            threading.Thread(target=tick, daemon=True).start()
            time.sleep(2)
        """,
        search="random",
        schedules=20,
    )
    assert report.failure is None and report.limited == 0


def test_a_program_can_import_the_file_beside_it(explored, tmp_path):
    (tmp_path / "beside.py").write_text("import threading\nlock = threading.Lock()\n")
    report = explored(
        """
        import beside
        def main():
            beside.lock.acquire()
            beside.lock.acquire()
        """
    )
    assert report.failure is not None and report.failure.kind == "Deadlock"


@pytest.mark.parametrize(
    "imports, used",
    [
        ("import shop.till", "shop.till"),
        ("import shop.till as till", "till"),
        ("from shop import till", "till"),
        ("import shop", "shop.till"),
        ("import shop.counter", "shop.counter.till"),
        ("import stall.till", "stall.till"),
        ("from stall import till", "till"),
    ],
)
def test_a_program_can_import_from_a_package_beside_it(explored, tmp_path, imports, used):
    """`shop` is a package, whose modules import each other, `stall` a folder without `__init__.py`."""
    count = "total = 0\ndef add():\n    global total\n    total += 1\n"
    for package in ("shop", "stall"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "till.py").write_text(count)
    (tmp_path / "shop" / "__init__.py").write_text("from .till import add\nfrom . import till\n")
    (tmp_path / "shop" / "counter.py").write_text("from . import till\nfrom .till import add\n")
    report = explored(
        f"""
        import threading
        {imports}
        def main():
            threads = [threading.Thread(target={used}.add) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert {used}.total == 2
        """
    )
    assert report.failure is not None and report.failure.kind == "AssertionError"
    assert any(race.first.file.endswith("till.py") for race in report.races)


def test_a_package_is_executed_before_its_modules_and_once_in_each_run(explored, tmp_path):
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").write_text("import shop.opened\nfirst = shop.opened\n")
    (tmp_path / "shop" / "opened.py").write_text("import sys\norder = [__name__, __package__]\n")
    report = explored(
        """
        import shop.opened, shop.opened as again
        from shop.opened import order
        def main():
            assert shop.first is shop.opened is again
            assert order == ["shop.opened", "shop"]
            order.append("changed")
        """
    )
    assert report.failure is None and report.schedules > 1


def test_the_library_itself_is_not_executed_anew_where_it_lies_beside_the_program(explored, tmp_path):
    (tmp_path / "concmodels").mkdir()
    (tmp_path / "concmodels" / "__init__.py").write_text("raise AssertionError('executed')")
    report = explored(
        """
        from concmodels import load
        def main():
            with load("threads").Channel(1) as channel:
                channel.send("sent")
                assert channel.receive() == "sent"
        """
    )
    assert report.failure is None


@pytest.mark.parametrize(
    "line, part",
    [
        ("import socket; socket.socket()", "uses socket.socket"),
        ("import subprocess as sub; sub.run([])", "uses subprocess.run"),
        ("from concurrent.futures import ProcessPoolExecutor", "ProcessPoolExecutor works outside"),
    ],
)
def test_what_blocks_outside_of_the_world_is_refused(explored, line, part):
    with pytest.raises(CannotExplore, match=part):
        explored(f"{line}\ndef main():\n    pass")


def test_input_is_refused(explored):
    with pytest.raises(CannotExplore, match="input"):
        explored("def main():\n    input()")


def test_the_real_modules_are_left_alone(explored):
    import queue
    import threading
    import time

    before = threading.Lock, threading.Thread.start, queue.SimpleQueue, time.sleep
    explored(HOLD["queue"], schedules=10)
    assert (threading.Lock, threading.Thread.start, queue.SimpleQueue, time.sleep) == before


LOGGING = """
import logging, threading

class Counting(logging.Handler):
    count, texts = 0, []
    def emit(self, record):
        self.count += 1
        self.texts.append(self.format(record))

class Unlocked(Counting):
    def handle(self, record):
        self.emit(record)

log = logging.getLogger("counted")
handler = {kind}()
handler.setFormatter(logging.Formatter("%(threadName)s: %(message)s"))
log.addHandler(handler)
log.setLevel(logging.INFO)

def work():
    log.info("hello")

def main():
    threads = [threading.Thread(target={target}, args={args}, name=name) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert handler.count == 2
    assert sorted(handler.texts) == ["a: hello", "b: hello"]
"""


@pytest.mark.parametrize(("target", "args"), [("work", "()"), ("log.info", '("hello",)')])
def test_the_handler_of_a_log_has_a_lock_and_belongs_to_one_run(explored, target, args):
    before = [*logging.root.manager.loggerDict], [*logging._handlerList], logging.threading
    report = explored(LOGGING.format(kind="Counting", target=target, args=args))
    assert report.verdict == "held in all", report
    report = explored(LOGGING.format(kind="Unlocked", target=target, args=args))
    assert report.failure is not None and type(report.failure.error) is AssertionError, report
    assert before == ([*logging.root.manager.loggerDict], [*logging._handlerList], logging.threading)


IN_ORDER = """
class Account:
    def __init__(self, amount):
        self.amount, self.history, self.lock = amount, [], threading.Lock()

def transfer(source, target, amount):
    {order}
    with first, second:
        source.amount -= amount
        target.amount += amount

def main():
    one, other = [Account(50) for _ in range(2)]
    threads = [threading.Thread(target=transfer, args=them) for them in ((one, other, 1), (other, one, 2))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (one.amount, other.amount) == (51, 49)
"""

ORDERS = {
    "locks": "first, second = sorted((source.lock, target.lock), key=id)",
    "accounts": "first, second = (it.lock for it in sorted((source, target), key=id))",
    "compared": "first, second = (it.lock for it in ((source, target), (target, source))[id(target) < id(source)])",
}


@pytest.mark.parametrize("name", ORDERS)
def test_locks_are_taken_in_the_order_of_their_ids(explored, name):
    for _ in range(3):
        report = explored(IN_ORDER.format(order=ORDERS[name]))
        assert report.verdict == "held in all", report
    report = explored(IN_ORDER.format(order="first, second = source.lock, target.lock"))
    assert report.failure is not None and report.failure.kind == "Deadlock", report


def test_an_object_has_one_id_whichever_thread_asks_first(explored):
    report = explored("""
        def main():
            it, found = [], {}
            def ask(name):
                found[name] = id(it), id(it)
            threads = [threading.Thread(target=ask, args=(name,)) for name in "ab"]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert found["a"] == found["b"] == (id(it), id(it)) and id(found) != id(it)
            assert id(threads[0]) != id(threads[1]), "two threads"
    """)
    assert report.verdict == "held in all", report


def test_a_copy_finds_what_is_copied_by_its_address(explored):
    report = explored("""
        import copy
        class Node:
            def __init__(self):
                self.next = self
            def __deepcopy__(self, memo):
                made = memo[id(self)] = Node()
                made.next = copy.deepcopy(self.next, memo)
                return made
        def main():
            made = []
            thread = threading.Thread(target=lambda: made.append(copy.deepcopy(Node())))
            thread.start()
            thread.join()
            assert made[0].next is made[0]
    """)
    assert report.failure is None, report


def test_to_ask_for_ids_orders_nothing_that_the_search_does_not_vary(explored):
    report = explored(
        """
        counter = 0
        def add(*pair):
            global counter
            first = sorted(pair, key=id)
            counter += 1
            assert first == sorted(pair, key=id)
        def main():
            pair = [[1], [2]]
            threads = [threading.Thread(target=add, args=pair) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert counter == 2
        """,
        search="all",
    )
    assert report.verdict == "broken", report
