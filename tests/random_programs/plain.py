"""`awaited.py` without `async` and `await`: for the sync models, and importable by their children."""

import os

from concmodels.conformance.sync import without_await

_TEXT = os.path.join(os.path.dirname(__file__), "awaited.py")
with open(_TEXT, encoding="utf-8") as file:
    exec(compile(without_await(file.read()), _TEXT, "exec", dont_inherit=True))
