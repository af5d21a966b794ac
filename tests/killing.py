"""How a task kills its process. Each child that has such a task imports this file, so it imports nothing heavy."""

import os


def die(*_):
    from signal import SIGKILL  # here: every child would import it, and few die

    os.kill(os.getpid(), SIGKILL)
