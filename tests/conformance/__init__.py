"""The conformance suite: what every model promises, as tests that receive a model and never name a library.

    promises/   the promises, one function each; the docstring is the contract's sentence. Written once, with `await`
    sync/       the same text with `async` and `await` taken away, made at import: what the sync models are given
    suite.py    finds the promises and holds a model to one of them
    census.py   what a run may leave behind: nothing

A promise is a function that gets the model as `room`. `async def` runs inside `room.run`, a plain `def` outside of any
run. Other parameters it may ask for: `effort` (how much is enough for this model), `facts` (the catalog's), and those
that `@promise(capacity=...)` gives a range of values. `@promise(by=cooperative)` says which models promise it.

Processes and subinterpreters import the promises too, so nothing here imports pytest, or anything else that is heavy.
"""
