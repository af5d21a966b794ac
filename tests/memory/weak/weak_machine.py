"""A simulated memory in which stores become visible and loads are made in any order that ARM allows.

Each thread has a *view*: of each word the oldest store that it may still load, and what every thread has done that
comes before. A load may give the store that it has in view, or any later one: that is a load which was made sooner than
it is written, or a store of another thread that becomes visible late. What orders, joins views:

    store      notes the storing thread's view at its last `publish`, the word's own store in it
    load       collects what that store has noted; a later `consume` joins that with the thread's view
    publish    what the thread has seen and done by now is noted by its stores from here on
    consume    what it has collected is in its view from here on
    full       both; and of two full fences of two threads, the later one has the view of the earlier one
    a semaphore, a waker: a release notes the view, what is acquired joins it

These are the relaxed accesses and fences of C11, and what ARM may do, this memory may do, but for two things:

- No store overtakes a load before it; `concmodels/platform/memory.py` says why.
- The stores of one word come in the order in which the threads make them. ARM may let a store fall behind a later one
  of another thread, if something else that its thread stores afterwards is seen first (the litmus tests S and 2+2W).
  That matters only for words that two threads store without a lock in common. To store any other is a `Race`, too;
  `weak_library.py` lists them, and says why their order does not matter.

There are two kinds of words. The *shared* ones are loaded without the lock under which they are stored, so each load of
one is a scheduling point, and lots decide which store it gives. All others are *plain*: each load must have the last
store in view, and each store all stores and loads of the word, or the access is a `Race`, which fails the run. Which
words are shared is said by a program's `shared`, and nothing else is.
"""

from concmodels.models.simulated.world import current

_ENDS = ("thread", (0,))


class Race(Exception):
    """A word was accessed, and nothing orders that after an access of another thread."""


class Again(Exception):
    """A shared word is used by two threads: from now on its accesses are scheduling points."""


class View:
    """What is known: by word the number of a store, and by thread how far it has come."""

    __slots__ = ("stores", "times")

    def __init__(self, stores=(), times=()):
        self.stores = dict(stores)
        self.times = dict(times)

    def join(self, other):
        for mine, theirs in ((self.stores, other.stores), (self.times, other.times)):
            for key, number in theirs.items():
                if number > mine.get(key, -1):
                    mine[key] = number

    def copy(self):
        return View(self.stores, self.times)


class Thread:
    """One thread of the machine, a task of the world."""

    waiter = None

    def __init__(self, machine, name, body):
        self.machine, self.name, self.body = machine, name, body
        self.runner = None
        self.view, self.collected, self.published = View(), View(), View()
        self.holds = frozenset()  # semaphores
        self.before_mine = View()  # what comes before the stores that its own have replaced
        self.time = 0

    def run(self):
        try:
            self.body()
        except BaseException as error:
            if self.machine.world.dying:
                raise
            self.machine.world.cut(error)
        self.machine.ended()

    def step(self):
        """Count an access, and return its time."""
        self.time += 1
        self.view.times[self] = self.time
        return self.time

    def known(self):
        """All that comes before what this thread releases now."""
        view = self.view.copy()
        view.join(self.collected)
        return view


class Machine:
    """The memory, the semaphores and the wakers of one run, and its threads."""

    def __init__(self, shared, points, unlocked=lambda _: False):
        self.also_shared, self.points, self.is_unlocked = set(), points, unlocked
        self.is_shared = lambda at: at in self.also_shared or shared(at)
        self.words, self.bytes = {}, {}
        self.stores = {}  # of each shared word: (the word, the view that was noted)
        self.last_store, self.last_loads = {}, {}  # of each plain word: the thread and its time
        self.storers = {}  # of each shared word: the thread that stored it last, and the locks that it had
        self.users = {}  # of each shared word: the threads, and whether one of them stores
        self.full_fences = View()
        self.semaphores, self.wakers, self.made = {}, {}, 0
        self.threads = []
        self.left, self.joined = 0, None
        self.now = 0.0
        self.world = current()

    # Threads.

    def start(self, name, body):
        """Start a thread. Until the first one begins, what is done is the set-up, which comes before all."""
        thread = Thread(self, name, body)
        self.threads.append(thread)
        self.left += 1
        self.world.start(thread)

    def join(self):
        """Wait until all threads have ended."""
        step = self.joined = self.world.announce("join", ((_ENDS, True),), self)
        step.waits = _ENDS
        if not self.left:
            self.world.enable(step)
        self.world.park(step)

    def ended(self):
        self.world.touch(_ENDS, True)
        self.left -= 1
        if not self.left and self.joined is not None:
            self.world.enable(self.joined)

    def running(self):
        """The thread that runs; None in the set-up."""
        task = self.world.running.task
        return task if type(task) is Thread else None

    # Words.

    def load(self, at):
        thread = self.running()
        if thread is None:
            return self.stores[at][-1][0] if at in self.stores else self.words.get(at, 0)
        if not self.is_shared(at):
            self._load_plain(thread, at)
            return self.words.get(at, 0)
        self._use(thread, at, False)
        if at in self.points:
            self.world.point("load", ((("item", (at,)), False),))
        stores = self._stores(at)
        first, last = thread.view.stores.get(at, 0), len(stores) - 1
        number = last - self.world.branch(last - first + 1)
        word, noted = stores[number]
        thread.step()
        thread.view.stores[at] = number
        thread.collected.join(noted)
        return word

    def store(self, at, word):
        thread = self.running()
        if thread is None:
            self.words[at] = word
            return
        if not self.is_shared(at):
            self._store_plain(thread, at)
            self.words[at] = word
            return
        self._use(thread, at, True)
        self._store_in_order(thread, at)
        if at in self.points:
            self.world.point("store", ((("item", (at,)), True),))
        stores = self._stores(at)
        for _, noted in stores[1:]:
            thread.before_mine.join(noted)
        thread.step()
        noted = thread.published.copy()
        noted.stores[at] = thread.view.stores[at] = len(stores)
        stores.append((word, noted))

    def _stores(self, at):
        if at not in self.stores:
            self.stores[at] = [(self.words.get(at, 0), View())]
        return self.stores[at]

    def _use(self, thread, at, stores):
        threads, is_stored = self.users.get(at, ((), False))
        if thread not in threads:
            threads = (*threads, thread)
        self.users[at] = threads, is_stored or stores
        if len(threads) > 1 and self.users[at][1] and at not in self.points:
            self.points.add(at)
            self.world.cut(Again())

    def _store_in_order(self, thread, at):
        """Check that another thread's store of the word was made under a lock that this thread has, too."""
        storer, locks = self.storers.get(at, (thread, None))
        if storer is not thread and not locks & thread.holds and not self.is_unlocked(at):
            raise Race(f"{thread.name} and {storer.name} store word {at}, and have no lock in common")
        self.storers[at] = thread, thread.holds

    def _load_plain(self, thread, at):
        storer, time = self.last_store.get(at, (None, 0))
        if storer is not thread and time > thread.view.times.get(storer, 0):
            raise Race(f"{thread.name} may load what was in word {at} before the store of {storer.name}")
        self.last_loads.setdefault(at, {})[thread] = thread.step()

    def _store_plain(self, thread, at):
        storer, time = self.last_store.get(at, (None, 0))
        if storer is not thread and time > thread.view.times.get(storer, 0):
            raise Race(f"{thread.name} stores word {at}, and nothing orders that after the store of {storer.name}")
        for loader, when in self.last_loads.pop(at, {}).items():
            if loader is not thread and when > thread.view.times.get(loader, 0):
                raise Race(f"{thread.name} stores word {at}, and {loader.name} may load that instead of what was there")
        self.last_store[at] = thread, thread.step()

    # Bytes: plain.

    def load_bytes(self, at, size):
        if thread := self.running():
            for word in range(at >> 3, at + size + 7 >> 3):
                self._load_plain(thread, word)
        return bytes(self.bytes.get(place, 0) for place in range(at, at + size))

    def store_bytes(self, at, data):
        if thread := self.running():
            for word in range(at >> 3, at + len(data) + 7 >> 3):
                self._store_plain(thread, word)
        self.bytes.update(zip(range(at, at + len(data)), data, strict=True))

    # Fences.

    def publish(self):
        if thread := self.running():
            thread.published = thread.known()

    def consume(self):
        if thread := self.running():
            thread.view.join(thread.collected)

    def full(self):
        thread = self.running()
        if thread is None:
            return
        self.world.point("fence", ((("global", (0,)), True),))
        thread.view.join(thread.collected)
        thread.view.join(thread.before_mine)
        thread.view.join(self.full_fences)
        self.full_fences.join(thread.view)
        thread.published = thread.view.copy()

    # Semaphores and wakers.

    def semaphore(self, number):
        if number not in self.semaphores:
            self.semaphores[number] = Semaphore(self, number)
        return self.semaphores[number]

    def new_waker(self):
        """Return the number of a waker that nothing else has."""
        self.made += 1
        return (1 << 32) + self.made

    def waker(self, number):
        if number not in self.wakers:
            self.wakers[number] = Waker(self, number)
        return self.wakers[number]


class Semaphore:
    """A semaphore that one thread has at a time; `acquire(False)` waits here, as its caller would do next."""

    def __init__(self, machine, number):
        self.machine, self.key = machine, ("lock", (number,))
        self.is_taken, self.view, self.waiting = False, View(), []

    def acquire(self, _blocking=True, _timeout=-1):
        thread, world = self.machine.running(), self.machine.world
        if thread is None:
            return True
        step = world.announce("acquire", ((self.key, True),), self)
        step.waits = self.key
        self.waiting.append(step)
        if not self.is_taken:
            world.enable(step)
        world.park(step)
        self.waiting.remove(step)
        self.is_taken = True
        thread.holds |= {self}
        for other in self.waiting:
            world.disable(other)
        thread.view.join(self.view)
        return True

    def release(self):
        thread, world = self.machine.running(), self.machine.world
        if thread is None:
            return
        world.point("release", ((self.key, True),), self)
        world.opens(self, self.key)
        self.view.join(thread.known())
        thread.holds -= {self}
        self.is_taken = False
        for step in self.waiting:
            world.enable(step)


class Waker:
    """What one thread waits for."""

    def __init__(self, machine, number):
        self.machine, self.key = machine, ("event", (number,))
        self.is_woken, self.view, self.step = False, View(), None

    def wake(self):
        thread, world = self.machine.running(), self.machine.world
        if thread is None:
            return
        world.point("wake", ((self.key, True),), self)
        world.opens(self, self.key)
        self.view.join(thread.known())
        self.is_woken = True
        if self.step is not None:
            world.enable(self.step)

    def wait(self, until=None):
        """Wait until it is woken; with a moment, or until then, which lots decide."""
        thread, world = self.machine.running(), self.machine.world
        step = self.step = world.announce("wait", ((self.key, True),), self)
        step.waits = self.key
        if self.is_woken:
            world.enable(step)
        steps = [step]
        if until is not None:
            late = world.announce("time out", (), self)
            world.enable(late)
            steps.append(late)
        done = world.park(*steps)
        self.step = None
        if done is step:
            self.is_woken = False
            thread.view.join(self.view)
        else:
            self.machine.now = max(self.machine.now, until)


class Words:
    """A view of words, as a memoryview of the format "q"."""

    def __init__(self, machine, first=0, count=1 << 40):
        self.machine, self.first, self.count = machine, first, count

    def __getitem__(self, at):
        if isinstance(at, slice):
            return Words(self.machine, self.first + at.start, at.stop - at.start)
        return self.machine.load(self.first + at)

    def __setitem__(self, at, word):
        if not -(1 << 63) <= word < 1 << 63:
            raise ValueError("memoryview: invalid value for format 'q'")
        self.machine.store(self.first + at, int(word))

    def tolist(self):
        return [self[at] for at in range(self.count)]

    def release(self):
        pass


class Bytes:
    """A view of bytes."""

    def __init__(self, machine, first=0, count=1 << 42):
        self.machine, self.first, self.count = machine, first, count

    def cast(self, _format):
        return Words(self.machine)

    def __len__(self):
        return self.count

    def __getitem__(self, at):
        return Bytes(self.machine, self.first + at.start, at.stop - at.start)

    def __setitem__(self, at, data):
        self.machine.store_bytes(self.first + at.start, bytes(data))

    def tobytes(self):
        return self.machine.load_bytes(self.first, self.count)

    def __buffer__(self, _flags):
        return memoryview(self.tobytes())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def release(self):
        pass


class Fence:
    """A full fence: what stands behind its `with`."""

    def __init__(self, machine):
        self.machine = machine

    def __enter__(self):
        pass

    def __exit__(self, *_):
        self.machine.full()
