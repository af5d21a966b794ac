"""Commands in this process: what one says, writes and returns, without the start of a Python of its own.

That start takes most of the time of most commands. What only a process shows is tested in one, by `commands.Program`:
signals, closed pipes, the environment of Python itself, what is left behind; and that each command can be started.
"""

import io
import os
import signal
import sys
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib.util import find_spec
from unittest.mock import patch

from concmodels.models.tasks.signals.handlers import ENDING


class Captured(io.TextIOWrapper):
    """A stream as a process has it that writes into a pipe."""

    def __init__(self):
        super().__init__(io.BytesIO(), encoding="utf-8")

    def text(self):
        """All that was written."""
        self.flush()
        return self.buffer.getvalue().decode()


def called(*arguments, module="concmodels.ring", env=(), missing=()):
    """Do what `python -m MODULE ARGUMENTS` does; return its exit status, standard output and standard error.

    A table is 80 columns wide, unless `env` says otherwise; where the tests run there may be a terminal of any width.
    Libraries that are `missing` can't be found, as if they were not installed.
    """
    handlers = {signum: signal.getsignal(signum) for signum in ENDING}
    environment, line = {"COLUMNS": "80"} | dict(env), [module, *map(str, arguments)]
    out, err = Captured(), Captured()
    try:
        with (
            patch.dict(os.environ, environment), patch.object(sys, "argv", line),
            redirect_stdout(out), redirect_stderr(err), not_found(missing),
        ):  # fmt: skip
            status = _status(module)
    finally:
        for signum, handler in handlers.items():  # at its end a program ignores them
            signal.signal(signum, handler)
    return status, out.text(), err.text()


@contextmanager
def not_found(libraries):
    """As long as this lasts, these libraries are not found; what has been imported of them stays."""
    loaded = {name: sys.modules[name] for name in libraries if name in sys.modules}
    sys.modules.update(dict.fromkeys(libraries))
    try:
        yield
    finally:
        for name in libraries:
            del sys.modules[name]
        sys.modules.update(loaded)


def _status(module):
    """Run the module as `python -m` does; return the exit status."""
    main = find_spec(f"{module}.__main__")
    try:
        exec(main.loader.get_code(main.name), {"__name__": "__main__", "__spec__": main})
    except SystemExit as ended:
        return ended.code or 0
    raise AssertionError(f"{module} has ended without an exit status")
