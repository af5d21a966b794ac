"""What a program of asyncio comes to on a real event loop, as a witness: it must be among what is explored."""

import asyncio
import runpy

PATIENCE_S = 1.0
LATE_S = 0.02
"""A run in which a timer was later than that is no witness: the explorer has callbacks take 50 ms at most."""


class _Timed(asyncio.SelectorEventLoop):
    """A real event loop that notes how late its timers are."""

    latest = 0.0

    def call_at(self, when, callback, *args, context=None):
        return super().call_at(when, self._expired, when, callback, args, context=context)

    def _expired(self, when, callback, args):
        self.latest = max(self.latest, self.time() - when)
        callback(*args)


def real_outcome(path):
    """What `main` of a file returns, or "Deadlock" if it does not end; None if the machine was too busy to tell."""
    loops = []

    def factory():
        loops.append(_Timed())
        return loops[0]

    async def limited():
        async with asyncio.timeout(PATIENCE_S):
            return await runpy.run_path(str(path))["main"]()

    with asyncio.Runner(loop_factory=factory) as runner:
        try:
            value = runner.run(limited())
        except TimeoutError:
            value = "Deadlock"
        return value if loops[0].latest < LATE_S else None
