"""The one table of what the mutants know of the library's inside. A name that changes there changes here too.

Most mutants change a public verb and need none of this. A name stands here as the attribute that is replaced or read;
a class or a module as `module:class`, for `found`.
"""

from importlib import import_module

# Channels of the models of one process (models/waiting/channel.py).
OFFER = "_offer"  # (item): give it to a receiver or keep it; False if neither
TAKE = "_take"  # (): the oldest item, from the buffer or from a sender
QUEUE = "_queue"  # (waiter, queue): this one will wait
BUFFER, CAPACITY = "_buffer", "_capacity"
SENDERS, RECEIVERS = "_senders", "_receivers"  # the queues of waiters: `claim(DONE)`, `item`, `wake()`
DONE = "done"
LET_OTHERS_RUN = "_let_others_run"  # (): what a cooperative model does at every 256th operation

# Tasks, groups and pools of the models of one process (models/tasks, models/pools).
FAILED = "_failed"  # (error): somebody failed; calls the group's `cancel`
ENDED = "ended"  # (task, error)
LEAVING = "checkpoint"  # (): what makes leaving a group a checkpoint
NATIVE = "_native"  # the group of asyncio, trio
TASK = "concmodels.models.tasks.task:Task"
FUTURE = "concmodels.models.pools.future:Future"
WORKERS = "concmodels.models.pools.workers:Workers"
ASYNC_WORKERS = "concmodels.models.pools.awaited_workers:AsyncWorkers"
INBOX, REFUSAL = "inbox", "refusal"  # of both kinds of workers; of them and of their inbox: (), why they take no more
WORKERS_WAIT = "wait"  # (waiter, timeout): a worker waits for others
WAITING = "concmodels.models.waiting.channel:"  # with `wait`(waiter, timeout)
SHARED = "concmodels.models.sharing:Shared"

# Waits for sockets (models/waiting/sockets/waits.py, threads.py).
IS_CLOSED = "is_closed"
SOCKET_WAITS = "concmodels.models.waiting.sockets.waits:SocketWaits"
BEGIN_WAIT, END_WAIT = "begin", "end"  # (wait)
WAITS = "_waits"  # of `SOCKET_WAITS`: by descriptor and direction
POLLED_SOCKETS = "concmodels.models.waiting.sockets.threads:PolledSockets"  # of the models of threads
POLLING = "concmodels.models.waiting.sockets.threads:PollingWaiter"
CLAIM_OR_WAIT = "claim_or_wait_for_wakeup"  # (outcome): of a thread whose socket is ready or closed
IS_OVER = "is_over"  # of a waiter for a socket
GEVENT_WAIT = "concmodels.models.waiting.sockets.gevent:GeventWait"
SOCKET_WAITER = "_SocketWaiter"  # of a model of threads: has `sockets`

# Beyond a memory boundary (models/memory).
PARTICIPANT = "concmodels.models.memory.participant:Participant"
WAKE, WAKE_ALL, PACK = "wake", "wake_all", "pack"  # its methods: (list of waiters), the same, (item)
ATTACH, MOST = "_attach", "_most"  # of a channel: (participant, number), and how many items it holds
GROUP_TASK = "concmodels.models.memory.group:Task"
TASK_FAILURE = "failure"  # (): what it brings to its group's end
MUST_WAIT = "_must_wait"  # of a group: whether one of its tasks lives
PARTICIPATES, SCOPE, LIVE_TASKS = "participant", "_at", "LIVE"  # of a group: its participant, its record; in `ARENA`
ARENA = "concmodels.models.memory.arena:"
CHILD_MODULE = "concmodels.models.memory.lives.child:"
CHILD_FINISH = "finish"  # of `CHILD_MODULE`: (participant, record, state, data)
EXPENDABLE = "EXPENDABLE"  # in `ARENA`: the word of a record that says that its failure cancels nobody
PARENT = "PARENT"  # in `ARENA`: the word of a record with the scope around it
PROCESSES = "concmodels.models.memory.lives.processes:"
PROCESS = "concmodels.models.memory.lives.processes:Child"
PRELOAD = "_PRELOAD"  # in `PROCESSES`: what the forkserver imports
SPAWNED = "concmodels.models.memory.lives.processes:_SpawnPopen"
LAUNCH = "_launch"
INTERPRETERS = "concmodels.models.memory.lives.interpreters:"
LIFE, LIFE_PATH = "_LIFE", "sys.path[:] = path\n"  # in `INTERPRETERS`: what each runs, and the line where it can import
BOUNDARY_FUTURE = "concmodels.models.memory.pool.future:Future"
BOUNDARY_SHARED = "concmodels.models.memory.buffers.buffer:Shared"
CHECK_SHARED = "_check"  # (words): raises if it was released
MAP_CALL = "concmodels.models.memory.pool.work:MapCall"
FETCH = "fetch"  # (most): the next items
DISPATCHER_MODULE = "concmodels.models.memory.pool.dispatcher:"
DISPATCHER = "concmodels.models.memory.pool.dispatcher:Dispatcher"
START_WORKER, INITIALIZER, SIZE = "start_worker", "_initializer", "_workers"
WORKER = "concmodels.models.memory.pool.worker_handle:WorkerHandle"
REAP = "reap"  # (error): the worker has died
COLLECT = "collect"  # (): read its results
TASKS_BEGUN = "begun"  # (batch): how many of its tasks have begun
BATCHES, MEMORY, WORK = "batches", "words", "work"  # the last of a batch, which has `first`, `number`, `done`, `tasks`
BEGUN = "BEGUN"  # in `WORKER_MEMORY`
WORKER_MEMORY = "concmodels.models.memory.pool.worker_memory:"


def found(place):
    """The class or the module of this place."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)
