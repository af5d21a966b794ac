"""What greenlets do, on greenlet itself and on the one for the browser. Each function asserts one rule."""

import gc
import sys

from greenlet import GreenletExit, getcurrent, greenlet


def a_switch_brings_values():
    here = getcurrent()
    other = greenlet(lambda one: here.switch(one + 1))
    assert other.switch(1) == 2
    assert other.switch() == ()
    assert other.dead
    assert greenlet(lambda: here.switch(1, 2)).switch() == (1, 2)
    assert greenlet(lambda **named: named).switch(a=1) == {"a": 1}


def one_that_ends_goes_on_in_its_parent():
    here = getcurrent()
    inner = greenlet(lambda: "from the inner one")
    outer = greenlet(lambda: ("outer got", inner.switch()))
    inner.parent = outer
    assert outer.switch() == ("outer got", "from the inner one")
    assert inner.dead and outer.dead and not inner and getcurrent() is here


def an_error_goes_on_in_the_parent():
    def fail():
        raise KeyError("lost")

    try:
        greenlet(fail).switch()
    except KeyError as error:
        assert error.args == ("lost",)
    else:
        raise AssertionError("the error is lost")


def throwing_into_one_that_waits():
    here = getcurrent()
    seen = []

    def wait():
        try:
            here.switch("waits")
        except ValueError as error:
            seen.append(str(error))
            return "caught"

    other = greenlet(wait)
    assert other.switch() == "waits"
    assert other.throw(ValueError("thrown")) == "caught"
    assert seen == ["thrown"]


def throwing_into_a_new_one_ends_it():
    other = greenlet(lambda: 1 / 0)
    try:
        other.throw(ValueError, "never begun")
    except ValueError as error:
        assert str(error) == "never begun"
    assert other.dead


def greenlet_exit_is_a_value():
    here = getcurrent()
    cleaned = []

    def wait():
        try:
            here.switch()
        finally:
            cleaned.append(True)

    other = greenlet(wait)
    other.switch()
    assert isinstance(other.throw(), GreenletExit)
    assert cleaned and other.dead
    assert isinstance(greenlet(print).throw(), GreenletExit)


def switching_to_a_dead_one_returns_at_once():
    other = greenlet(lambda: "end")
    other.switch()
    assert other.switch("again") == "again"


def the_exception_that_is_handled_belongs_to_a_greenlet():
    here = getcurrent()

    def handle():
        try:
            raise ValueError("its own")
        except ValueError:
            here.switch(sys.exception())
            return str(sys.exception())

    other = greenlet(handle)
    assert str(other.switch()) == "its own"
    assert sys.exception() is None
    assert other.switch() == "its own"


def the_frame_of_a_suspended_one_is_seen():
    here = getcurrent()
    other = greenlet(lambda: here.switch())
    assert other.gr_frame is None
    other.switch()
    frame, names = other.gr_frame, []
    while frame is not None and len(names) < 50:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    assert "<lambda>" in names
    gc.collect()
    other.switch()
    assert other.gr_frame is None


def deep_recursion_is_an_error_and_no_crash():
    def deeper(depth):
        return [deeper(depth + 1)]

    def dig():
        try:
            deeper(0)
        except RecursionError:
            return "too deep"

    assert greenlet(dig).switch() == "too deep"
    nested = []
    for _ in range(100_000):
        nested = [nested]

    def show():
        try:
            repr(nested)
        except RecursionError:
            return "too deep"

    assert greenlet(show).switch() == "too deep"
    while nested:  # or to free it would be deep, too
        nested = nested[0]


def many_are_suspended_at_a_time():
    here = getcurrent()
    others = [greenlet(lambda number: here.switch(number)) for _ in range(300)]
    assert [it.switch(number) for number, it in enumerate(others)] == list(range(300))
    gc.collect()
    assert [it.switch(number) for number, it in enumerate(others)] == list(range(300))
    assert all(it.dead for it in others)


RULES = [
    a_switch_brings_values,
    one_that_ends_goes_on_in_its_parent,
    an_error_goes_on_in_the_parent,
    throwing_into_one_that_waits,
    throwing_into_a_new_one_ends_it,
    greenlet_exit_is_a_value,
    switching_to_a_dead_one_returns_at_once,
    the_exception_that_is_handled_belongs_to_a_greenlet,
    the_frame_of_a_suspended_one_is_seen,
    deep_recursion_is_an_error_and_no_crash,
    many_are_suspended_at_a_time,
]
