"""What can be pickled across memory boundaries, and the sentence about what can't."""

import os
import subprocess
import sys
import textwrap
import threading

import pytest
from boundaries import BOTH, run_script
from boundary_tasks import identity

from concmodels.errors import CannotTravel
from concmodels.models import processes, subinterp
from concmodels.models.memory import pickling

pytestmark = pytest.mark.usefixtures("nothing_left_behind")


def generator():
    yield 1


def refusals():
    def nested():
        pass

    yield "lambda", lambda: None, ()
    yield "inside a function", nested, ()
    yield "argument 2.*TextIOWrapper", identity, (1, sys.__stderr__)
    yield "argument 1.*lock", identity, (threading.Lock(),)
    yield "argument 1.*generator", identity, (generator(),)
    yield "module 'os'", identity, (os,)
    yield "argument 1.*lambda", identity, (lambda: None,)


def main_refuse(model, other):
    with model.TaskGroup() as group:
        for sentence, function, args in refusals():
            with pytest.raises(CannotTravel, match=sentence):
                group.spawn(function, *args)
        with pytest.raises(CannotTravel, match="another run"):
            group.spawn(identity, other)
        with pytest.raises(CannotTravel, match="lock|belongs"):
            group.spawn(identity, threads_channel())
        assert group.spawn(identity, model).result() == model


def threads_channel():
    from concmodels.models import threads

    return threads.Channel(0)


@pytest.mark.parametrize("model", BOTH)
def test_what_cannot_travel_is_refused(model):
    other = subinterp if model is processes else processes

    def outer():
        model.run(main_refuse, model, other.Channel(1))

    other.run(outer)


MAIN = """
    import math
    from concmodels.models import {model} as model

    class Own(Exception):
        pass

    class Point:
        def __init__(self, x):
            self.x = x

    def task(channel):
        channel.send(Point(3))
        raise Own("from the main program")

    def main():
        channel = model.Channel(math.inf)
        try:
            with model.TaskGroup() as group:
                group.spawn(task, channel)
        except* Own as errors:
            print(type(errors.exceptions[0]) is Own, type(channel.receive()) is Point)

"""


@pytest.mark.parametrize("model", ["processes", "subinterp"])
def test_functions_of_a_guarded_main_program(tmp_path, model):
    guarded = MAIN.format(model=model) + "    if __name__ == '__main__':\n        model.run(main)\n"
    assert run_script(tmp_path, guarded).stdout == "True True\n"


@pytest.mark.parametrize("model", ["processes", "subinterp"])
def test_functions_of_an_unguarded_main_program_are_refused(tmp_path, model):
    done = run_script(tmp_path, MAIN.format(model=model) + "    model.run(main)\n", check=False)
    assert "CannotTravel" in done.stderr
    assert "guard" in done.stderr


@pytest.mark.parametrize("model", ["processes", "subinterp"])
def test_functions_typed_at_a_prompt_are_refused(model):
    program = textwrap.dedent(MAIN.format(model=model)) + "\nmodel.run(main)\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert "CannotTravel" in done.stderr
    assert "prompt" in done.stderr


@pytest.mark.parametrize("model", ["processes", "subinterp"])
def test_functions_typed_into_a_notebook_are_refused_with_a_way_out(model):
    jupyter = "import sys, types\nsys.modules['IPython'] = types.SimpleNamespace(get_ipython=lambda: 'a shell')\n"
    program = f"{jupyter}{textwrap.dedent(MAIN.format(model=model))}\nmodel.run(main)\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert "CannotTravel" in done.stderr
    assert "was typed into a notebook: begin its cell with `%%writefile tasks.py`" in done.stderr


class BringsTraceback(Exception):
    """An exception as libraries make of any if they teach pickle to take tracebacks along."""

    def __init__(self, message):
        super().__init__(message)
        self.taught = True

    def __setstate__(self, state):
        vars(self).update(state)
        try:
            raise ValueError(self)
        except ValueError as other:
            self.__traceback__ = other.__traceback__


def test_the_traceback_of_an_error_is_there_once():
    try:
        raise BringsTraceback("no")
    except BringsTraceback as error:
        arrived = pickling.unpack_error(pickling.pack_error(error, "a task"))
    assert type(arrived) is BringsTraceback and arrived.__traceback__ is None
    (note,) = arrived.__notes__
    assert note.startswith("In task 'a task', beyond a memory boundary:") and note.count("raise BringsTraceback") == 1
