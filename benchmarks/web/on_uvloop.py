"""A module as a program whose `asyncio.run` has uvloop's event loop.

python -m benchmarks.web.on_uvloop concmodels.serve --model asyncio --port 8000
"""

import asyncio
import functools
import runpy
import sys

if __name__ == "__main__":
    import uvloop

    vars(asyncio)["run"] = functools.partial(asyncio.run, loop_factory=uvloop.new_event_loop)
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
