"""The mistakes that nearly everybody makes once: each is told in one sentence, in the line where it is made, and in no
more than 12 lines.
"""

import inspect
import re
import traceback

import mistakes
import pytest

from concmodels import catalog, load
from concmodels.models.tasks.signals.tracebacks import SETTING

MOST_LINES = 12
HERE = [name for name in catalog.names(variants=True, simulated=True) if catalog.why_not(name) is None]


def table(name):
    """The mistakes that can be made in this model."""
    if catalog.facts(name).is_async:
        return mistakes.ASYNC
    return mistakes.SYNC | (mistakes.BOUNDARY if catalog.facts(name).family == "boundary" else {})


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    monkeypatch.delenv(SETTING, raising=False)


def printed(name, program):
    """The lines that a program would print which makes this mistake."""
    model = load(name)
    with pytest.raises(BaseException) as caught:
        program(model) if program.__name__ == "<lambda>" else model.run(program, model)
    return "".join(traceback.format_exception(caught.value)).splitlines()


@pytest.mark.parametrize("name", HERE)
def test_a_mistake_is_told_in_few_lines(name):
    for what, (program, sentence) in table(name).items():
        lines = printed(name, program)
        told = [line.lstrip(" |") for line in lines if re.match(r"[ |]*[\w.]+: ", line)]
        names = f"({name}|{catalog.facts(name).model})"  # a variant may be called by the name of its model
        expected = re.escape(sentence).replace("NAME", names)
        assert re.match(rf"(concmodels\.errors\.)?{expected}", told[-1]), (what, lines)
        assert len(lines) <= MOST_LINES, (what, lines)
        assert "/concmodels/models/" not in "".join(lines), (what, lines)
        if program.__name__ != "<lambda>":  # the line where the mistake is made
            first = inspect.getsourcelines(program)[1]
            places = [int(it) for line in lines for it in re.findall(r"mistakes\.py\", line (\d+)", line)]
            assert places and first < places[-1] <= first + len(inspect.getsourcelines(program)[0]), (what, lines)
