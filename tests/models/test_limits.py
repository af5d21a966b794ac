"""What decides the time limit of a group, in virtual time: its end, a failure, a cancellation, or the limit."""

import pytest

from concmodels import load
from concmodels.errors import TaskCancelled

model = load("sim")


def clean_up_slowly(seconds, error=None):
    try:
        model.sleep(3600)
    except model.Cancelled:
        end = model.now() + seconds
        while model.now() < end:
            model.Channel(1).send_nowait(None)  # each step takes 10 us; a wait would raise again
        if error is not None:
            raise error from None
        raise


def fail_after(seconds):
    model.sleep(seconds)
    raise LookupError("failed")


def limited(*tasks, timeout=0.01, cancel_after=None):
    """Run these tasks in a group with a limit; return what it raised, and its tasks."""

    def main():
        handles = []
        try:
            with model.TaskGroup(timeout=timeout) as group:
                handles += [group.spawn(*task) for task in tasks]
                if cancel_after is not None:
                    model.sleep(cancel_after)
                    group.cancel()
        except (TimeoutError, ExceptionGroup) as error:
            return error, handles, model.now()
        return None, handles, model.now()

    return model.run(main)


def test_a_group_that_ends_just_in_time():
    error, (task,), _ = limited((model.sleep, 0.0099))
    assert error is None and not task.cancelled()


def test_a_limit_that_strikes_just_before_the_end():
    error, (task,), end = limited((model.sleep, 0.0101))
    assert type(error) is TimeoutError and error.__cause__ is None and task.cancelled()
    assert 0.01 <= end < 0.0101


def test_a_failure_that_comes_first_however_long_the_clean_up_takes():
    error, (_, slow), end = limited((fail_after, 0.009), (clean_up_slowly, 0.005))
    assert type(error) is ExceptionGroup and type(error.exceptions[0]) is LookupError
    assert end > 0.01 and slow.cancelled()


def test_a_cancellation_that_comes_first_however_long_the_clean_up_takes():
    error, (slow,), end = limited((clean_up_slowly, 0.005), cancel_after=0.009)
    assert error is None and slow.cancelled() and end > 0.01


def test_a_limit_that_comes_first_and_a_failure_in_the_clean_up():
    error, _, _ = limited((clean_up_slowly, 0.005, LookupError("in the clean-up")))
    assert type(error) is TimeoutError and repr(error.__cause__.exceptions) == "(LookupError('in the clean-up'),)"


def nested(outer, inner):
    def main():
        try:
            with model.TaskGroup(timeout=outer):
                try:
                    with model.TaskGroup(timeout=inner) as group:
                        group.spawn(model.sleep, 3600)
                except TimeoutError:
                    return "inner"
        except TimeoutError:
            return "outer"

    return model.run(main)


def test_of_two_limits_the_first_strikes():
    assert (nested(1, 2), nested(2, 1)) == ("outer", "inner")


def test_a_group_with_a_limit_is_no_deadlock():
    channel = []

    def main():
        channel.append(model.Channel(0))
        with pytest.raises(TimeoutError), model.TaskGroup(timeout=5) as group:
            task = group.spawn(channel[0].receive)
            channel[0].receive()
        with pytest.raises(TaskCancelled):
            task.result()

    model.run(main)


@pytest.mark.parametrize("timeout", [None, float("inf"), 10**400, 10])
def test_a_limit_may_be_none_or_long(timeout):
    if timeout == 10**400:
        with pytest.raises(ValueError, match="too large for a float"):
            model.TaskGroup(timeout=timeout)
        return
    assert limited((model.sleep, 1), timeout=timeout)[0] is None
