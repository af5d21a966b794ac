"""From notes to calls, and the table that a failure shows."""

from collections import namedtuple
from math import inf

from .program import NAMES, in_words, operation_of

Call = namedtuple("Call", "task step part operation start end outcome")
"""One call of one operation. A call that has not ended: `end` is inf, and `outcome` is None."""


def calls_of(program, notes):
    """The calls of each task in their order, the main task's last."""
    tasks = [{} for _ in range(len(program.tasks) + 1)]
    for task, step, part, moment, outcome in notes:
        if outcome is None:
            operation = operation_of(program, task, step)
            tasks[task][step, part] = Call(task, step, part, operation, moment, inf, None)
        else:
            tasks[task][step, part] = tasks[task][step, part]._replace(end=moment, outcome=outcome)
    return [list(calls.values()) for calls in tasks]


def table(program, notes):
    """The history as lines of text, in the order in which the calls began; microseconds."""
    calls = sorted((call for calls in calls_of(program, notes) for call in calls), key=lambda call: call.start)
    zero = calls[0].start if calls else 0
    lines = [f"{'begins':>10} {'ends':>10}  {'task':4}  {'call':40} outcome"]
    for call in calls:
        task = "main" if call.task == len(program.tasks) else call.task
        end = "-" if call.outcome is None else f"{(call.end - zero) / 1000:.1f}"
        lines.append(
            f"{(call.start - zero) / 1000:10.1f} {end:>10}  {task!s:4}  {in_words(call.operation):40} {_result(call)}"
        )
    return "\n".join(lines)


def _result(call):
    if call.outcome is None:
        return "has not ended"
    what, channel, item = call.outcome
    parts = [what] if channel is None else [what, NAMES[channel]]
    return " ".join(parts if item is None else [*parts, repr(item)])
