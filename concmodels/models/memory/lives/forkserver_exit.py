"""The last act of a run's forkserver: it removes its folder, if the program was killed and could not.

The forkserver imports this module when it is started, and ends when the program and all its children have ended.
Children do not run the function below: they leave by `os._exit`.
"""

import atexit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_WAITS_S = 1.0  # until the program has ended: the kernel may not be done with that


def _remove_folder() -> None:
    import os
    import time
    from multiprocessing import forkserver

    from concmodels.models.memory.lives import leftovers

    server: Any = forkserver._forkserver
    owner = leftovers.owner_of(os.path.dirname(server._forkserver_address or ""))
    if owner is None:
        return
    until = time.monotonic() + _WAITS_S
    while not leftovers.is_dead(*owner) and time.monotonic() < until:
        time.sleep(0.002)
    leftovers.sweep(semaphores=False)


atexit.register(_remove_folder)
