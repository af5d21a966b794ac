"""The programs as commands. A single model runs in this very process, several run apart, one after the other."""

import os
import signal
import sys
from argparse import Namespace

from concmodels import _limits, catalog
from concmodels._options import BadInput, choose, parse, to_arguments
from concmodels._output import JsonFile, console, quiet_when_closed, say
from concmodels._plan import Plan
from concmodels._result import BAD_INPUT, INTERRUPTED, OK, TIMED_OUT, Result
from concmodels.errors import ModelUnavailable, UnknownModel


def ring_command(arguments: list[str] | None = None) -> int:
    """Run `python -m concmodels.ring` with these arguments; return its exit status, never raise."""
    try:
        status = _ring(parse(arguments))
    except (BadInput, UnknownModel, ModelUnavailable, _limits.TooLarge) as error:
        say(str(error))
        status = BAD_INPUT
    except KeyboardInterrupt:
        say("interrupted")
        status = INTERRUPTED
    return status


def as_program(status: int) -> int:
    """Return the status of a finished program. What is left to do takes moments: Ctrl-C has nothing to end any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return status


def _ring(options: Namespace) -> int:
    if options.list:
        with quiet_when_closed():
            _list()
        return OK
    session = Session(options)
    try:
        session.run()
    finally:
        session.report()
    return session.status


def _list() -> None:
    names = catalog.names(variants=True)
    for name in names:
        print(f"{name:{max(map(len, names))}}  {catalog.why_not(name) or 'available'}")


class Session:
    """One call of the program: its plans, its results so far, and its status, the gravest of all.

    Raises, when it is made, what is wrong with the command line.
    """

    def __init__(self, options: Namespace) -> None:
        self.status = OK
        self.results: list[Result] = []
        self._options = options
        models, self._skipped = choose(options.models or ["threads"])
        self._plans = [_plan(options, model) for model in models]
        self._drop_what_is_too_large()
        self._json = JsonFile(options.json)
        self._json.begin([Result.of(plan, error="did not end") for plan in self._plans])
        self._current: Plan | None = None

    def run(self) -> None:
        """Run everything."""
        self._tell_before()
        if len(self._plans) == 1:
            self._run_here(self._plans[0])
        else:
            for plan in self._plans:
                self._run_apart(plan)
                if self.status == INTERRUPTED:
                    break

    def report(self) -> None:
        """Write the JSON, then the table."""
        if self._current is not None and sys.exception() is not None:  # Ctrl-C outside the run itself
            self.results.append(Result.of(self._current, error="interrupted", status=INTERRUPTED))
        with quiet_when_closed():
            self._json.end(self.results)
            shown = not self._options.quiet and not self._options.apart
            if shown and any(result.verified for result in self.results):
                from concmodels import _table

                _table.show(self.results, console(sys.stderr if self._options.json == "-" else sys.stdout))

    def _drop_what_is_too_large(self) -> None:
        """What was named must fit; of `all`, what does not fit is left out, and counts as bad input."""
        named = {catalog.name_of(catalog.facts(it)) for it in self._options.models or () if not it.startswith("all")}
        for plan in list(self._plans):
            try:
                _limits.check(plan)
            except _limits.TooLarge as error:
                if plan.model in named or not self._options.models:
                    raise
                self._skipped[plan.model] = str(error)
                self._plans.remove(plan)
                self.status = BAD_INPUT

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
            self._current = plan
            timeout = self._options.timeout
            result = measure(plan, timeout=timeout, repeat=repeat, listener=listener, on_hang=_give_up)
            self._current = None
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
        self.status = max(self.status, apart.status, INTERRUPTED if apart.interrupted else OK)

    def _add(self, result: Result) -> None:
        self.results.append(result)
        self.status = max(self.status, result.status)
        if result.error and not self._options.apart:
            say(f"{result.name}: {result.error}")


def _plan(options: Namespace, model: str) -> Plan:
    return Plan(model, options.nodes, options.messages, options.in_flight, options.capacity, options.payload)


def _give_up() -> None:
    """The last resort: the run neither ended nor could be ended."""
    from concmodels import _memory

    say("timed out, and the run would not end: killed")
    for pid in _memory.descendants(os.getpid()):
        os.kill(pid, signal.SIGKILL)
    os._exit(TIMED_OUT)
