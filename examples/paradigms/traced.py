"""One of the banks, recorded: `python traced.py PARADIGM FILE`, as in `python traced.py locks bank.json`."""

import sys
from importlib import import_module

from concmodels import load, trace

MODELS = {"locks": "threads", "channels": "threads", "actors": "threads", "tasks": "asyncio", "processes": "processes"}

if __name__ == "__main__":
    name, file = sys.argv[1:]
    with trace.to(file, program=name):
        model = load(MODELS[name])
        model.run(import_module(f"bank_{name}").main, model)
