"""Run the program of a bug on real threads, many times, and print how often it has failed: `real.py BUG TIMES`.

With a third argument, that package is imported anew for each run.
"""

import sys
import threading
from importlib import import_module


def main(name: str, times: str, fresh: str = "") -> None:
    raised: list[object] = []
    threading.excepthook = raised.append
    sys.setswitchinterval(1e-6)
    failures = 0
    for _ in range(int(times)):
        for module in [it for it in sys.modules if it == name or (fresh and it.partition(".")[0] == fresh)]:
            del sys.modules[module]
        raised.clear()
        program = import_module(name)
        try:
            program.main()
        except Exception:  # noqa: BLE001 - whatever it is, the run has failed
            failures += 1
        else:
            failures += bool(raised)
    print(failures)


if __name__ == "__main__":
    main(*sys.argv[1:])
