"""Traces: what each task of a run did, when, and which message went where, recorded into one file.

    >>> import tempfile
    >>> from concmodels import load, trace
    >>> def main(model):
    ...     with model.TaskGroup() as group, model.Channel(1, "numbers") as channel:
    ...         group.spawn(channel.send, 7, name="sender")
    ...         return channel.receive()
    >>> model = load("threads")
    >>> with tempfile.TemporaryDirectory() as folder, trace.to(f"{folder}/numbers.json"):
    ...     model.run(main, model)
    7

`python -m concmodels.trace FILE` says what is in such a file and draws it; Perfetto shows it too. `chrome.py` describes
the file. A model that isn't traced is the module that it always is, and nothing is paid.

How it is built: `installed.py` has the models hand out the verbs of traced models (`model.py`). These verbs
(`verbs.py`, of which `texts.py` makes the sync form, and `boundary.py`) leave rows (`rows.py`) with a recorder
(`recorder.py`). `collecting.py` makes of them what the file contains, `chrome.py` writes it, `steps.py` a schedule.
"""

from concmodels.trace.recording import to as to

__all__ = ["to"]
