"""The mistakes that nearly everybody makes once: each is told in one sentence, in the line where it is made, and in no
more than 12 lines.
"""

import gc
import inspect
import os
import re
import subprocess
import sys
import traceback
import warnings

import mistakes
import pytest

import concmodels
from concmodels import catalog, load
from concmodels.models.tasks.signals.tracebacks import SETTING

MOST_LINES = 12
HERE = [name for name in catalog.names(variants=True, simulated=True) if catalog.why_not(name) is None]


def table(name):
    """The mistakes that can be made in this model."""
    if catalog.facts(name).is_async:
        return mistakes.ASYNC
    return mistakes.SYNC | (mistakes.BOUNDARY if catalog.facts(name).family == "boundary" else {})


@pytest.fixture(scope="module", autouse=True)
def _short():
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(SETTING, raising=False)
        yield


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


@pytest.mark.parametrize("name", HERE)
def test_a_task_that_fails_is_told_in_few_lines(name):
    """The place of the group, and the line that raised it."""
    is_async = catalog.facts(name).is_async
    program, task = (
        (mistakes.async_task_fails, mistakes.async_fails) if is_async else (mistakes.task_fails, mistakes.fails)
    )
    lines = printed(name, program)
    assert len(lines) <= MOST_LINES, "\n".join(lines)
    text = "".join(lines)
    first = inspect.getsourcelines(program)[1]
    assert f"mistakes.py:{first + 1} (1 sub-exception)" in text
    assert f'mistakes.py", line {inspect.getsourcelines(task)[1] + 1}' in text


ASYNC = [name for name in HERE if catalog.facts(name).is_async]


@pytest.mark.parametrize("program", [*mistakes.UNAWAITED, mistakes.forget_in_a_task])
@pytest.mark.parametrize("name", ASYNC)
def test_a_forgotten_await_is_told_by_the_warning_that_python_gives(name, program):
    made_in = mistakes.forget_to_await_receive if program is mistakes.forget_in_a_task else program
    line, sentence = mistakes.UNAWAITED[made_in]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        load(name).run(program, load(name))
    (warning,) = [it for it in told if it.category is RuntimeWarning and it.filename == mistakes.__file__]
    assert (str(warning.message), warning.category) == (sentence, RuntimeWarning)
    assert (warning.filename, warning.lineno) == (mistakes.__file__, inspect.getsourcelines(made_in)[1] + line)


@pytest.mark.parametrize("name", ASYNC)
def test_a_forgotten_await_that_leads_to_an_exception_is_its_note(name):
    program = mistakes.forget_to_await_and_use
    lines = printed(name, program)
    assert len(lines) <= MOST_LINES
    line, sentence = mistakes.UNAWAITED[mistakes.forget_to_await_receive]
    assert lines[-1].endswith(f"mistakes.py:{inspect.getsourcelines(program)[1] + line}: {sentence}")


@pytest.mark.parametrize("name", ASYNC)
def test_of_two_calls_the_note_names_the_one_that_was_forgotten(name):
    model = load(name)
    with pytest.raises(TypeError) as caught:
        model.run(mistakes.forget_one_of_two, model)
    (note,) = caught.value.__notes__
    line = inspect.getsourcelines(mistakes.forget_one_of_two)[1] + 2
    assert note.endswith(f"mistakes.py:{line}: {mistakes.UNAWAITED[mistakes.forget_to_await_receive][1]}")


@pytest.mark.parametrize("name", ASYNC)
def test_a_coroutine_that_was_not_forgotten_is_left_alone(name):
    model = load(name)
    given = model.Channel(1, "numbers").receive()
    with pytest.raises(ValueError, match="before it is awaited") as caught:
        model.run(mistakes.keep_a_parameter, given)
    assert given.cr_frame is not None and not hasattr(caught.value, "__notes__")
    given.close()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with pytest.raises(ValueError, match="no such number") as caught:
            model.run(mistakes.await_too_late, model)
        assert not hasattr(caught.value, "__notes__")
        del caught
        gc.collect()
    assert [it for it in told if "'" in str(it.message) and "was never awaited" in str(it.message)]


@pytest.mark.parametrize("name", ASYNC[:1])
@pytest.mark.parametrize("more", ["pass", "x = " + "-" * 20000 + "1"], ids=["a warning", "too deep"])
def test_a_source_that_python_warns_of_is_not_warned_of_again(name, more, tmp_path):
    """One that is too deep for Python's parser takes nothing from the exception, and gets no note."""
    file = tmp_path / "odd.py"
    main = "async def main(model):\n    item = model.Channel(1).receive()\n    text = '\\d'\n    return item + 1\n"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(main, file, "exec"), space := {"__name__": "odd"})
    file.write_text(f"{main}{more}\n")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with pytest.raises(TypeError) as caught:
            load(name).run(space["main"], load(name))
        notes = getattr(caught.value, "__notes__", [])
        del caught
        gc.collect()
    assert not [it for it in told if it.category is SyntaxWarning]
    assert len(notes) == (more == "pass")


async def forget_something_else(model):
    mistakes.async_nothing()


@pytest.mark.parametrize("name", ASYNC)
def test_a_coroutine_of_the_program_has_the_words_of_python(name):
    with pytest.warns(RuntimeWarning, match="coroutine 'async_nothing' was never awaited"):
        load(name).run(forget_something_else, load(name))


BOUNDARY = [name for name in HERE if catalog.facts(name).family == "boundary"]


@pytest.mark.parametrize("program", mistakes.UNGUARDED, ids=["no guard", "guard after"])
@pytest.mark.parametrize(
    "name", [it if ":" not in it else pytest.param(it, marks=pytest.mark.thorough) for it in BOUNDARY]
)
def test_a_missing_guard_is_told_in_few_lines(name, program, tmp_path):
    (tmp_path / "first.py").write_text(program)
    env = os.environ | {"PYTHONPATH": os.path.dirname(concmodels.__path__[0])}
    command = [sys.executable, "first.py", name]
    ended = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    if program is mistakes.GUARD_AFTER and name == "processes:fork":  # which imports nothing again
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "1\ndone\n", "")
        return
    assert ended.returncode == 1 and mistakes.UNGUARDED[program] in ended.stderr
    assert len(ended.stderr.splitlines()) <= MOST_LINES
