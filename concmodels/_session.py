"""One call of the ring program: its plans, its runs, its report.

Ctrl-C is held back, except while a run lasts: there it ends the run, and everything else (opening and writing the JSON
above all) takes moments and is done whole. A single model runs in this very process; several run apart, one after the
other.
"""

import contextlib
import os
import signal
import sys
from argparse import Namespace
from collections.abc import Iterator

from concmodels import _limits, catalog
from concmodels._options import choose, to_arguments
from concmodels._output import JsonFile, console, quiet_when_closed, say
from concmodels._plan import Plan
from concmodels._result import BAD_INPUT, INTERRUPTED, OK, TIMED_OUT, Result
from concmodels.errors import ModelUnavailable


@contextlib.contextmanager
def held_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back; one that came meanwhile is forgotten at the end, for then everything is done."""
    with _mask(signal.SIG_BLOCK):
        yield
        if os.name == "posix" and signal.SIGINT in signal.sigpending():
            signal.sigwait({signal.SIGINT})


@contextlib.contextmanager
def _mask(how: int) -> Iterator[None]:
    """Block or unblock SIGINT for this thread; what it starts inherits that. Elsewhere than on Unix it does nothing."""
    if os.name != "posix":
        yield
        return
    old = signal.pthread_sigmask(how, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


class Session:
    """Raises, when it is made, what is wrong with the command line; then nothing has started and no file is open."""

    def __init__(self, options: Namespace) -> None:
        self._options = options
        self._status = OK
        self._results: list[Result] = []
        models, self._skipped = choose(options.models or ["threads"])
        self._plans = [_plan(options, model) for model in models]
        self._leave_out_what_is_too_large()
        self._json = JsonFile(options.json)

    def run(self) -> int:
        """Run everything, write everything; return the gravest status. Raises `BadInput` if it can't write."""
        self._json.begin([Result.of(plan, error="did not end") for plan in self._plans])
        self._tell_before()
        run = self._run_here if len(self._plans) == 1 else self._run_apart
        for plan in self._plans:
            try:
                with _mask(signal.SIG_UNBLOCK):
                    run(plan)
            except (KeyboardInterrupt, ModelUnavailable) as stopped:
                status, error = (BAD_INPUT, str(stopped)) if str(stopped) else (INTERRUPTED, "interrupted")
                repeat = 1 + sum(result.name == plan.model for result in self._results)
                self._add(Result.of(plan, repeat=repeat, error=error, status=status))
            if self._status == INTERRUPTED:
                break
        self._report()
        return self._status

    def _leave_out_what_is_too_large(self) -> None:
        """What was named must fit; of `all`, what does not fit is left out, and counts as bad input."""
        given = self._options.models or ["threads"]
        named = {catalog.name_of(catalog.facts(name)) for name in given if name not in ("all", "all+")}
        for plan in list(self._plans):
            try:
                _limits.check(plan)
            except _limits.TooLarge as error:
                if plan.model in named:
                    raise
                self._skipped[plan.model] = str(error)
                self._plans.remove(plan)
                self._status = BAD_INPUT

    def _tell_before(self) -> None:
        options = self._options
        for model, why in self._skipped.items():
            say(f"{model} is left out: {why}")
        if options.in_flight is not None and options.in_flight > options.messages and not options.apart:
            say(f"--in-flight {options.in_flight:,} is more than there are messages: taken as {options.messages:,}")

    def _run_here(self, plan: Plan) -> None:
        from concmodels._progress import Terminal
        from concmodels._run import SILENT, measure

        listener = SILENT if self._options.quiet else Terminal()
        for repeat in range(1, self._options.repeat + 1):
            timeout = self._options.timeout
            result = measure(plan, timeout=timeout, repeat=repeat, listener=listener, on_hang=_give_up)
            self._add(result)
            if result.status != OK:
                break

    def _run_apart(self, plan: Plan) -> None:
        from concmodels._apart import Apart

        timeout = self._options.timeout
        apart = Apart(to_arguments(self._options, plan.model), timeout and timeout * self._options.repeat)
        results = apart.run()
        for result in results:
            self._add(result)
        if not results and apart.status != BAD_INPUT:  # which has said why itself
            self._add(Result.of(plan, error=apart.error, status=apart.status))
        self._status = max(self._status, apart.status, INTERRUPTED if apart.interrupted else OK)

    def _add(self, result: Result) -> None:
        self._results.append(result)
        self._status = max(self._status, result.status)
        if result.error and not self._options.apart:
            say(f"{result.name}: {result.error}")

    def _report(self) -> None:
        """Write the JSON, then the table."""
        with quiet_when_closed():
            self._json.end(self._results)
            shown = not self._options.quiet and not self._options.apart
            if shown and any(result.verified for result in self._results):
                from concmodels import _table

                _table.show(self._results, console(sys.stderr if self._options.json == "-" else sys.stdout))


def _plan(options: Namespace, model: str) -> Plan:
    return Plan(model, options.nodes, options.messages, options.in_flight, options.capacity, options.payload)


def _give_up() -> None:
    """The last resort: the run neither ended nor could be ended."""
    from concmodels import _memory

    say("timed out, and the run would not end: killed")
    for pid in _memory.descendants(os.getpid()):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    os._exit(TIMED_OUT)
