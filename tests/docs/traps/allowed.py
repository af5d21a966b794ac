"""What looks like a trap and is none: (file, function, rule) and why it is right there, without the GIL too.

An entry that nothing needs any more fails `test_traps.py`, so that this list stays true.
"""

UNDER_LOCK = "a step: its callers hold the channel's lock (`waiting/channel.py` says so above the steps)"
ONE_SUPERVISOR = "only the supervisor's own thread comes here"
IMPORTED = "only appended to, when a package is imported"
GREENLETS = "keyed by greenlet, and a greenlet belongs to one thread"
NAMES = "it only numbers tasks in their names, and `itertools.count` gives each number once without the GIL too"
TURNS = (
    "the count only says when to look up: it may be off by some, and `itertools.repeat` has counted atomically since "
    "3.14.0"
)
MODEL_TURNS = (
    "all threads' runs count together: it may be off by some; sharing an `itertools.cycle` is safe from 3.14.8"
)
OWN_COUNT = "each thread has an iterator of its own (`waiting/yields.py`)"
MAIN_FILE = "written once, and to the same value whichever thread comes first: what the main program is does not change"
ONE_HUB = "an object of one hub, which belongs to one thread"
ONE_LOOP = "an object of one event loop, which runs one task at a time"
OWN = "an object of one task: nobody else touches it"
POOL_LOCK = "its callers hold the dispatcher's lock (`memory/pool/worker_handle.py` and `work.py` say so)"
ONE_WRITER = "each word of a worker's memory has one writer: here it is the worker, or who holds the pool's lock"
ONE_TAKER = "the iterator of one `map`, which belongs to the task that takes its results"
CLAIMED = "its callers hold the run's claim lock (`memory/arena.py` says so)"
GUESS = "a count of waits: if one is lost, the next measurement comes a wait later"
DASK_LOOP = "only the event loop of the board, or of the worker, comes here"
PAST = "the run is over: its tasks have ended, and with them those who used the view"

ALLOWED = {
    ("models/memory/arena.py", "Arena.pair", "check then act"): (
        "two threads may open the same pair twice: both get the same semaphore of the kernel, and one handle is dropped"
    ),
    ("models/memory/arena.py", "Arena.close", "sliced view"): PAST,
    (
        "models/memory/participant.py",
        "the module",
        "module state",
    ): "keyed by the number of the run, which is never used again",
    (
        "models/memory/participant.py",
        "Participant.wake",
        "handler",
    ): "no handler: Guard's `wake` is another function of that name",
    ("models/memory/participant.py", "Participant.begin_wait", "increment"): "each thread has its own slot",
    ("models/memory/participant.py", "Participant.forget_channel", "check then act"): (
        "it has taken the lock, if that was free; a finalizer must not wait for it"
    ),
    ("models/waiting/postponed.py", "the module", "module state"): "keyed by task, and a task belongs to one loop",
    ("models/pools/awaited_results.py", "Handle._wait", "check then act"): ONE_LOOP,
    ("models/pools/awaited_results.py", "Handle._end", "check then act"): ONE_LOOP,
    ("models/pools/awaited_results.py", "AsyncResults._take", "shared iterator"): ONE_LOOP,
    ("models/pools/awaited_results.py", "AsyncResults._take", "increment"): ONE_LOOP,
    ("models/memory/channels/channel.py", "Channel.detach", "sliced view"): PAST,
    ("models/memory/lives/deadlocks.py", "ask_places", "increment"): (
        "the supervisor and, after Ctrl-C, main may ask at the same moment: then it is one question, which all answer"
    ),
    ("models/memory/lives/supervisor.py", "Supervisor.patience", "iteration"): ONE_SUPERVISOR,
    ("models/memory/lives/supervisor.py", "Supervisor._strike_limits", "iteration"): ONE_SUPERVISOR,
    ("models/memory/group.py", "TaskGroup._collect", "check then act"): OWN,
    ("models/memory/lives/child.py", "process", "loose thread"): (
        "it waits for the parent's death as long as the process lives, and ends it"
    ),
    ("models/cluster/host.py", "_watch", "polling"): "Dask tells nobody that the last worker is gone",
    ("models/cluster/link.py", "RemoteLink.post", "shared iterator"): DASK_LOOP,
    ("models/cluster/link.py", "the module", "module state"): "keyed by run, and a link's only writers hold the lock",
    ("models/cluster/tasks.py", "Task.take_turn", "increment"): DASK_LOOP,
    ("models/cluster/tasks.py", "Joinable._count", "increment"): DASK_LOOP,
    (
        "models/cluster/tasks.py",
        "Tasks.look_for_deadlocks",
        "polling",
    ): "it looks a few times a second, if it is asked to",
    ("models/cluster/work.py", "the module", "module state"): "which pools' initializers this process has called",
    (
        "models/cluster/work.py",
        "_outcome",
        "check then act",
    ): "two tasks may both call it: as often as there are workers",
    ("models/cluster/workers.py", "Workers._feed", "check then act"): DASK_LOOP,
    ("models/cluster/workers.py", "Workers._feed", "increment"): DASK_LOOP,
    ("models/cluster/workers.py", "Workers._make_room", "increment"): DASK_LOOP,
    ("models/dask_.py", "the module", "module state"): NAMES,
    ("models/dask_.py", "TaskGroup.spawn", "shared iterator"): NAMES,
    (
        "models/tasks/failures.py",
        "ExceptionCollector.add",
        "check then act",
    ): "its callers hold the group's lock, or are alone",
    ("models/memory/lives/interpreters.py", "InterpreterSupervisor.wait", "check then act"): (
        "hosts append; one supervisor takes"
    ),
    (
        "models/tasks/signals/handlers.py",
        "the module",
        "module state",
    ): "one handler per program, and single list operations",
    ("models/tasks/signals/guard.py", "Guard.postpone", "loose thread"): (
        "it lives while an interrupt is pending, and `__exit__` takes its lock before it changes the handler"
    ),
    (
        "models/tasks/signals/handlers.py",
        "terminate",
        "loose thread",
    ): "it lives for 0.2 ms and uses nothing but the signal's number",
    (
        "models/tasks/signals/guard.py",
        "Guard._resend",
        "polling",
    ): "0.2 ms for as long as an interrupt waits to land: moments",
    (
        "models/memory/lives/supervisor.py",
        "the module",
        "module state",
    ): "an `itertools.count`, which gives each number once",
    (
        "models/memory/lives/supervisor.py",
        "Supervisor._open",
        "shared iterator",
    ): "an `itertools.count`, which gives each number once",
    (
        "models/memory/lives/forkserver_exit.py",
        "_remove_folder",
        "polling",
    ): "for a second at most, in a server that is about to end",
    (
        "models/memory/lives/leftovers.py",
        "name_the_folder",
        "check then act",
    ): "both would find, or make, the one folder of the process",
    (
        "models/memory/buffers/views.py",
        "OpenViews.hand_out",
        "shared iterator",
    ): "an `itertools.count`, which gives each number once",
    (
        "models/memory/buffers/views.py",
        "OpenViews.settle",
        "check then act",
    ): "who calls it holds the claim lock of the run",
    ("models/memory/buffers/views.py", "OpenViews.settle", "increment"): "who calls it holds the claim lock of the run",
    ("models/memory/buffers/views.py", "OpenViews.release", "sliced view"): "with the GIL only: it asks for it first",
    ("models/memory/buffers/views.py", "OpenViews._exit", "increment"): "who calls it holds the claim lock of the run",
    (
        "models/deadlocks/loops.py",
        "TrioDetector._look_around",
        "polling",
    ): "it looks a few times a second",
    ("models/memory/pool/dispatcher.py", "Dispatcher.start_worker", "shared iterator"): POOL_LOCK,
    ("models/memory/pool/work.py", "Waiting.take", "increment"): POOL_LOCK,
    ("models/memory/pool/work.py", "Waiting.give_back", "increment"): POOL_LOCK,
    ("models/memory/pool/work.py", "Waiting._size", "increment"): POOL_LOCK,
    ("models/memory/pool/work.py", "Calls.put", "increment"): POOL_LOCK,
    ("models/memory/pool/work.py", "MapCall.put", "increment"): POOL_LOCK,
    ("models/memory/pool/work.py", "MapCall.end", "increment"): POOL_LOCK,
    ("models/memory/pool/dispatcher.py", "Dispatcher._give_at_once", "iteration"): POOL_LOCK,
    ("models/memory/pool/collector.py", "Collector.wait_for", "increment"): "only the thread of the task comes here",
    ("models/memory/pool/worker.py", "Worker.wait_for_work", "increment"): OWN,
    ("models/memory/pool/worker_handle.py", "WorkerHandle.leave", "sliced view"): POOL_LOCK,
    ("models/memory/pool/worker_handle.py", "WorkerHandle.collect", "sliced view"): POOL_LOCK,
    ("models/memory/pool/worker_handle.py", "WorkerHandle.collect", "increment"): POOL_LOCK,
    ("models/memory/pool/worker_handle.py", "WorkerHandle._drain", "increment"): POOL_LOCK,
    ("models/memory/pool/worker_handle.py", "WorkerHandle._next_bytes", "increment"): POOL_LOCK,
    ("models/memory/arena.py", "Arena.allocate", "increment"): CLAIMED,
    ("models/memory/arena.py", "Arena.free", "increment"): CLAIMED,
    ("models/memory/channels/channel.py", "Channel._look_or_wait", "increment"): GUESS,
    ("models/memory/looking.py", "Looking._looked", "increment"): GUESS,
    ("models/memory/channels/large.py", "_with_buffers", "sliced view"): "the view was made for this call",
    ("models/memory/channels/large.py", "opened", "sliced view"): "the view was made for this call",
    ("models/memory/pickling.py", "Pieces.write", "increment"): OWN,
    ("models/memory/pool/payload.py", "Payload.place", "increment"): OWN,
    ("models/waiting/queues.py", "forget", "increment"): UNDER_LOCK,
    ("models/pools/future.py", "Condition.wait", "check then act"): "it holds the condition's lock again",
    ("models/pools/future.py", "Condition.notify_all", "check then act"): "who notifies holds the condition's lock",
    ("models/pools/results.py", "Supply.refill", "shared iterator"): ONE_TAKER,
    ("models/pools/results.py", "Supply.refill", "increment"): ONE_TAKER,
    ("models/pools/results.py", "Supply.end_with", "increment"): ONE_TAKER,
    ("models/pools/workers.py", "Workers.forget", "loose thread"): (
        "it waits for the channel's lock, closes the channel, and ends: microseconds"
    ),
    ("models/pools/arguments.py", "the module", "module state"): NAMES,
    ("models/pools/arguments.py", "next_name", "shared iterator"): NAMES,
    ("models/memory/pool/worker.py", "the module", "module state"): "a process or an interpreter is one worker",
    ("models/tasks/asyncio_group.py", "the module", "module state"): NAMES,
    ("models/waiting/sockets/threads.py", "PolledSockets._leave", "increment"): "its callers hold the lock",
    ("models/waiting/sockets/threads.py", "PolledSockets._waker", "check then act"): "its callers hold the lock",
    (
        "models/waiting/sockets/loops.py",
        "the module",
        "module state",
    ): "keyed by loop, and a loop belongs to one thread",
    ("models/waiting/sockets/trio.py", "TrioSockets._look", "polling"): "it looks once a second, while somebody waits",
    ("models/simulated/world.py", "the module", "module state"): "`itertools.count` gives each number once",
    ("models/simulated/units.py", "the module", "module state"): "only appended to, and never read",
    ("models/simulated/units.py", "Units.take", "check then act"): "all units of a search are in one thread",
    ("models/tasks/nursery.py", "the module", "module state"): NAMES,
    ("models/waiting/select.py", "select_sync", "shared iterator"): TURNS,
    ("models/waiting/select.py", "select_async", "shared iterator"): TURNS,
    ("models/tasks/task.py", "the module", "module state"): NAMES,
    ("models/tasks/task.py", "Task.__init__", "shared iterator"): NAMES,
    ("models/tasks/task.py", "Task.sign_off", "check then act"): "each task takes out itself, once: one dict operation",
    ("models/__init__.py", "the module", "module state"): IMPORTED,
    ("models/tasks/hubs.py", "the module", "module state"): GREENLETS,
    ("models/waiting/hub_throws.py", "the module", "module state"): GREENLETS,
    ("models/memory/pickling.py", "main_file", "module state"): MAIN_FILE,
    ("models/memory/pickling.py", "know_main", "module state"): MAIN_FILE,
    ("models/memory/pickling.py", "import_main", "module state"): "it holds the lock of those who import it",
    ("models/memory/pickling.py", "_import_main", "module state"): "its caller holds the lock of those who import it",
    ("models/waiting/channel.py", "ChannelState._offer", "check then act"): UNDER_LOCK,
    ("models/waiting/channel.py", "ChannelState._take", "check then act"): UNDER_LOCK,
    ("models/waiting/channel.py", "SingleThreadChannel._offer", "check then act"): (
        "all tasks share one thread; `send_nowait` and `select` hold the channel's lock besides"
    ),
    ("models/waiting/unbounded.py", "UnboundedGreenlets.send", "shared iterator"): OWN_COUNT,
    ("models/waiting/unbounded.py", "UnboundedGreenlets.receive", "shared iterator"): OWN_COUNT,
    ("models/waiting/unbounded.py", "UnboundedCoroutines.send", "shared iterator"): OWN_COUNT,
    ("models/waiting/unbounded.py", "UnboundedCoroutines.receive", "shared iterator"): OWN_COUNT,
    ("models/waiting/unbounded.py", "UnboundedCoroutines.__anext__", "shared iterator"): OWN_COUNT,
    ("models/waiting/turns.py", "Turns.leave", "increment"): ONE_HUB,
    ("models/waiting/turns.py", "checkpoint", "increment"): ONE_HUB,
    ("models/greenlet_.py", "the module", "module state"): GREENLETS,
    ("models/threads.py", "Channel.send", "shared iterator"): TURNS,
    ("models/threads.py", "Channel.receive", "shared iterator"): TURNS,
    ("models/rawthreads.py", "Channel.send", "shared iterator"): TURNS,
    ("models/rawthreads.py", "Channel.receive", "shared iterator"): TURNS,
    ("models/waiting/waiter.py", "the module", "module state"): "keyed by task, and a task belongs to one loop",
    ("models/rawthreads.py", "_Unbounded.send", "shared iterator"): TURNS,
    ("models/rawthreads.py", "_PollingWaiter.acquire", "polling"): "the lesson of this variant",
    ("models/tasks/unjoined_threads.py", "UnjoinedThreads.join", "check then act"): (
        "one joins, when all tasks have ended"
    ),
    ("models/threads.py", "_Unbounded.send", "shared iterator"): TURNS,
    ("models/anyio_.py", "Channel", "shared iterator"): MODEL_TURNS,
    ("models/asyncio_.py", "Channel", "shared iterator"): MODEL_TURNS,
    ("models/eventlet_.py", "Channel", "shared iterator"): MODEL_TURNS,
    ("models/gevent_.py", "Channel", "shared iterator"): MODEL_TURNS,
    ("models/greenlet_.py", "Channel", "shared iterator"): MODEL_TURNS,
    ("models/trio_.py", "Channel", "shared iterator"): MODEL_TURNS,
    ("models/cluster/board.py", "Board.serve", "iteration"): DASK_LOOP,
    ("models/cluster/board.py", "Board.close", "iteration"): DASK_LOOP,
    ("models/cluster/link.py", "RemoteLink._live", "iteration"): DASK_LOOP,
    ("models/cluster/tasks.py", "Tasks._endless_waits", "iteration"): DASK_LOOP,
    ("models/memory/lives/interpreters.py", "InterpreterSupervisor.finish", "iteration"): ONE_SUPERVISOR,
    ("models/memory/lives/processes.py", "ProcessSupervisor.note_cancelled", "iteration"): ONE_SUPERVISOR,
    ("models/memory/lives/processes.py", "ProcessSupervisor.check_deadlines", "iteration"): ONE_SUPERVISOR,
    ("models/memory/lives/processes.py", "ProcessSupervisor.finish", "iteration"): ONE_SUPERVISOR,
    ("models/memory/lives/processes.py", "ProcessSupervisor._launch", "iteration"): ONE_SUPERVISOR,
    ("models/memory/lives/processes.py", "ProcessSupervisor.patience", "iteration"): ONE_SUPERVISOR,
    ("models/memory/lives/processes.py", "ProcessSupervisor._break_off", "iteration"): ONE_SUPERVISOR,
    ("models/memory/pool/dispatcher.py", "Dispatcher._fail_all", "iteration"): POOL_LOCK,
    ("models/memory/pool/dispatcher.py", "Dispatcher.cancel_waiting", "iteration"): POOL_LOCK,
    ("models/memory/pool/work.py", "Waiting.drop", "iteration"): POOL_LOCK,
    ("models/memory/pool/worker_handle.py", "WorkerHandle.waiting", "iteration"): POOL_LOCK,
    ("models/memory/pool/worker_handle.py", "WorkerHandle.unread", "iteration"): POOL_LOCK,
    ("models/memory/pool/worker_handle.py", "WorkerHandle.doing", "iteration"): POOL_LOCK,
    ("models/memory/pool/worker_handle.py", "WorkerHandle.collect", "iteration"): POOL_LOCK,
    ("models/memory/pool/worker_handle.py", "WorkerHandle.fail", "iteration"): POOL_LOCK,
    ("models/memory/channels/select.py", "Selection.end", "iteration"): OWN,
    (
        "models/tasks/signals/handlers.py",
        "SignalHandlers.restore",
        "iteration",
    ): "only the thread that began the run comes here",
}
