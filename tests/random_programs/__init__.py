"""Random programs, and whether what they did can be explained.

Hypothesis makes small programs of two to four tasks that send, receive, iterate, select, close and time out over a few
channels, and that cancel each other where tasks share one memory. Each runs on every model, and notes for every call
when it began, when it ended and what came of it. Such a history is right if it is *linearizable*: if every call can be
given one moment between its beginning and its end, so that a channel where everything happens one after the other would
have given the same results.

    program.py      a program, as data: printed as a listing, pickled to a child, typed in again
    strategies.py   Hypothesis makes them
    awaited.py      how one is performed, and the history that comes of it; `plain.py` is the same without `await`
    reference.py    the channel where everything happens one after the other: what is allowed, and how strict that is
    history.py      from notes to calls; the table that a failure shows
    checker.py      looks for an explanation; says whether a program stands still with good reason
    trial.py        a model, many programs, the verdict; how to run a failed one again
    examples.py     histories written by hand, good and bad: the checker must tell them apart
    mutants.py      channels that are broken on purpose: the machinery must find out

No program hangs. When everybody waits, and the reference says that this is as it should be, the main task closes all
channels. When somebody could go on and does not, the program is given patience and then fails: a lost wake-up.
"""
