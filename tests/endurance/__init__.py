"""What the endurance tests run, importable by processes and subinterpreters: nothing here imports pytest.

texts.py        streams and crowds of messages, written once with `await`
loops.py        channel loops and waits that only Ctrl-C ends, likewise
plain.py        both without `async` and `await`: what the sync models are given
accounts.py     whether what came was what was sent: exactly once, each sender's in order
interrupted.py  a program that presses its own Ctrl-C, hundreds of times
books.py        its accounts: what was accepted, what received, and what still lies in the channels
killed.py       a program of processes at every kind of work, of which one is killed, again and again
litmus.py       two tasks that put each other to sleep and awake, millions of times
programs.py     starts these programs
"""
