"""`awaited.py` without `async` and `await`: for the sync models and queues, and importable by their children."""

import os

from concmodels.conformance.sync import plain

exec(plain(os.path.join(os.path.dirname(__file__), "awaited.py")))
