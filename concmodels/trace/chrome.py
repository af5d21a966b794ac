"""Writes a trace as one file: Chrome Trace Event JSON, which Perfetto and the pictures of this package read.

The file is one JSON object with three members, in this order:

    "otherData"        what is known of the run as a whole: see below
    "displayTimeUnit"  "ns"
    "traceEvents"      a list of events, one a line: first the metadata, then the events in the order of their `ts`

Every event has `ph` (its kind), `name`, `pid` (the process or interpreter, numbered from 1) and `tid` (the lane,
numbered from 1: what one task did; a number occurs in one process only). All others than metadata have `ts`, and slices
have `dur`: both in microseconds since the start of the run, with up to three decimals, so they are exact to the
nanosecond. Where `otherData.unit` is "step", one microsecond stands for one step of a schedule.

Metadata, `ph` "M":

    process_name       args: name
    thread_name        args: name, the task's
    thread_sort_index  args: sort_index, the lane's number

Slices, `ph` "X". The slices of one lane follow each other, and none overlaps another. `cat` gives Perfetto the colours:

    name          cat      args.what
    send C        send     send        on channel C; lasts as long as the channel was full, at least 0.1 us
    wait C        wait     wait        a receive that had to wait for an item longer than 0.1 us
    receive C     receive  receive     0.1 us, at the moment when the item was there; after its `wait`, if it had one
    select        wait     select      a select that has done no case (closed, failed); else it is a send or a receive
    sleep         wait     sleep
    result        wait     result      a wait for the result of a task, `number` is its lane
    call          wait     call        a wait for the result of a pool's task; `number` is that of its `submit`
    join          wait     join        a wait at the end of a task group for its tasks
    socket        wait     socket      a wait for a socket
    work          work     work        a pool's worker has done a task; `number` is that of its `submit`

A send or receive that has failed has the `cat` "failed" and no arrow; a receive is then one slice. A `wait` is no
operation of its own: its receive begins when it does, and `begin` and `end` of both say so.

Marks, `ph` "i" with `s` "t", `cat` "mark". Their `name` is `args.what`, and of those of a channel it has that, too:

    start         the lane begins
    end           the lane ends
    spawn         it starts a task; `number` is the lane of that
    close C       it closes a channel
    cancel        it cancels a task, whose lane `number` is, or with 0 a group
    error         its task ends with an exception; `failed` says which kind
    submit        it gives a task to a pool; `number` counts those of the run
    begin         a pool's worker begins that task; without a `work` of this number the worker was killed in it
    step          one step of a schedule (of `explore`): `text` says which, `place` where, `line` shows the source,
                  `forced` is true if the schedule has forced a switch to this task
    killed        the last that is known of a lane that did not end

Each slice and each mark has `args`:

    what, channel, number    as above; `channel` is a key of `otherData.channels`, as a number, or 0 for none. Of a
                             send and a receive `number` is the message's, which is the same for both and unique in its
                             channel; where the channel is bounded to n, the message `number` could be sent because the
                             message `number - n` had been received
    begin, end               when the operation began and ended, in ns since the start of the run (in `step`s times
                             1,000): exact, where `ts` and `dur` are moved so that slices don't overlap
    failed                   null, or "timeout", "closed", "cancelled", "error": then nothing was done

Arrows: `ph` "s" at the start of a send's slice, and `ph` "f" with `bp` "e" at the start of a receive's slice. Both have
`name` and `cat` "message" and the same `id`, a number of their own. There is an arrow for each message both of whose
ends are in the file, and no arrow goes back in time.

`otherData`:

    format        "concmodels trace 1"
    program       how it was run, for a title: "concmodels.ring 5 4 --model threads", or ""
    model         "threads"
    python        "3.14.8"
    clock         "perf_counter_ns"; "virtual" (sim: its own time, and at least 1 us between two events); "step"
    unit          "ns" or "step"
    cpus          how many CPUs the run could use
    every         1 if each message is in the file; else only those whose number is divisible by it. All else is
                  complete, and so are the counts below
    ended         how the run has ended: null if well, else one sentence ("Deadlock: ...", "KeyboardInterrupt")
    cut           true if the disk was full before all events were written: those up to some moment are there
    notes         a list of sentences about what the file lacks: a task that was killed, a lane without space
    channels      by number, as text: {"name", "capacity" (null: unbounded), "sent", "received"}, the last two counted
    lanes         by number, as text: {"name", "parent" (the lane that has spawned it, or null), "pid", "cpu_ns" (how
                  long it has computed; null: not known), "ended" (false: killed, or it ran on when this was written)}
"""
