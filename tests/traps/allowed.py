"""What looks like a trap and is none: (file, function, rule) and why it is right there, without the GIL too.

An entry that nothing needs any more fails `test_traps.py`, so that this list stays true.
"""

UNDER_LOCK = "a step: its callers hold the channel's lock (`_waiting.py` says so above the steps)"
ONE_KEEPER = "only the keeper's own thread comes here"
NAMES = "it only numbers tasks in their names, and `itertools.count` gives each number once without the GIL too"
TURNS = (
    "the count only says when to look up: it may be off by some, and `itertools.repeat` has counted atomically since "
    "3.14.0"
)
ROOM_TURNS = "all threads' runs count together: it may be off by some; sharing an `itertools.cycle` is safe from 3.14.8"
MAIN_FILE = "written once, and to the same value whoever comes first: what the main program is does not change"
OWN = "an object of one task: nobody else touches it"
INTERPRETERS = "the variant is there to show what that costs; `_block` waits by the channel's own bell"
PAST = "the run is over: its tasks have ended, and with them those who used the view"

ALLOWED = {
    ("models/_arena.py", "Arena.pair", "check then act"): (
        "two threads may open the same pair twice: both get the same semaphore of the kernel, and one handle is dropped"
    ),
    ("models/_arena.py", "Arena.close", "sliced view"): PAST,
    ("models/_border.py", "the module", "module state"): "keyed by the number of the run, which is never used again",
    ("models/_border.py", "Unit.wake", "handler"): "no handler: Guard's `wake` is another function of that name",
    ("models/_border.py", "Unit.begin_wait", "increment"): "each thread has its own parker",
    ("models/_border_channel.py", "Channel.detach", "sliced view"): PAST,
    ("models/_border_deadlock.py", "Watch._ask", "increment"): ONE_KEEPER,
    ("models/_border_group.py", "TaskGroup._collect", "check then act"): OWN,
    ("models/_child.py", "_ask_registrar", "loose thread"): (
        "it waits for the parent's death as long as the process lives, and ends it"
    ),
    ("models/_failures.py", "Failures.add", "check then act"): "its callers hold the group's lock, or are alone",
    ("models/_interpreter_keeper.py", "InterpreterKeeper.wait", "check then act"): "hosts append; one keeper takes",
    ("models/_interrupt.py", "Guard.put_off", "loose thread"): (
        "it lives while an interrupt is pending, and `__exit__` takes its lock before it changes the handler"
    ),
    ("models/_interrupt.py", "Guard._knock", "polling"): "0.2 ms for as long as an interrupt waits to land: moments",
    ("models/_keeper.py", "the module", "module state"): "an `itertools.count`, which gives each number once",
    ("models/_keeper.py", "Keeper.__init__", "shared iterator"): "an `itertools.count`, which gives each number once",
    ("models/_loop_watches.py", "TrioWatch._turns", "polling"): "a task of the watch: it looks a few times a second",
    ("models/asyncio_.py", "the module", "module state"): NAMES,
    ("models/_scoped.py", "the module", "module state"): NAMES,
    ("models/_select.py", "select_sync", "shared iterator"): TURNS,
    ("models/_select.py", "select_async", "shared iterator"): TURNS,
    ("models/_tasks.py", "the module", "module state"): NAMES,
    ("models/_tasks.py", "Task.__init__", "shared iterator"): NAMES,
    ("models/_tasks.py", "Task.sign_off", "check then act"): "each task takes out itself, once: one dict operation",
    ("models/_thrown.py", "the module", "module state"): "keyed by greenlet, and a greenlet belongs to one thread",
    (
        "models/_transports.py",
        "the module",
        "module state",
    ): "keyed by the number of the run; `subinterp` needs the GIL",
    ("models/_transports.py", "PipeSlots.release", "sliced view"): PAST,
    ("models/_transports.py", "QueueSlots.__setitem__", "queue wait"): INTERPRETERS,
    ("models/_transports.py", "QueueSlots.__getitem__", "queue wait"): INTERPRETERS,
    ("models/_travel.py", "main_file", "module state"): MAIN_FILE,
    ("models/_travel.py", "know_main", "module state"): MAIN_FILE,
    ("models/_travel.py", "import_main", "module state"): MAIN_FILE,
    ("models/_waiting.py", "ChannelState._offer", "check then act"): UNDER_LOCK,
    ("models/_waiting.py", "ChannelState._take", "check then act"): UNDER_LOCK,
    ("models/_waiting.py", "SyncChannel.send", "shared iterator"): TURNS,
    ("models/_waiting.py", "SyncChannel.receive", "shared iterator"): TURNS,
    ("models/rawthreads.py", "TaskGroup.start", "loose thread"): "the model itself: the group waits for its task",
    ("models/rawthreads.py", "_Unbounded.send", "shared iterator"): TURNS,
    ("models/rawthreads.py", "_PollingWaiter._block", "polling"): "the lesson of this variant",
    ("models/threads.py", "TaskGroup.join", "check then act"): "one joins, when all tasks have ended",
    ("models/threads.py", "_Unbounded.send", "shared iterator"): TURNS,
    ("models/threads.py", "_Unbounded._serve", "check then act"): (
        "its callers hold the lock; receivers who take without it are why `popleft` may raise there"
    ),
    ("models/anyio_.py", "Channel", "shared iterator"): ROOM_TURNS,
    ("models/asyncio_.py", "Channel", "shared iterator"): ROOM_TURNS,
    ("models/eventlet_.py", "Channel", "shared iterator"): ROOM_TURNS,
    ("models/gevent_.py", "Channel", "shared iterator"): ROOM_TURNS,
    ("models/greenlet_.py", "Channel", "shared iterator"): ROOM_TURNS,
    ("models/trio_.py", "Channel", "shared iterator"): ROOM_TURNS,
    ("stackless/_callbacks.py", "set_schedule_callback", "module state"): "Stackless's own interface: one per program",
    ("stackless/_callbacks.py", "set_channel_callback", "module state"): "Stackless's own interface: one per program",
}
