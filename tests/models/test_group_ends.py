"""The ends of groups that no limit may spoil, and tracebacks that can be cut whatever an exception has."""

import pytest

from concmodels import load
from concmodels.models.tasks.signals.tracebacks import shorten


class Skip(BaseException):
    """As what pytest raises to skip a test: no `Exception`, and no interrupt."""


async def skip():
    raise Skip("not here")


@pytest.mark.parametrize("name", ["asyncio", "trio", "anyio"])
@pytest.mark.parametrize("timeout", [None, 3600])
def test_what_is_no_exception_is_no_timeout(name, timeout):
    model = load(name)

    async def main():
        async with model.TaskGroup(timeout=timeout) as group:
            group.spawn(skip)
            await model.sleep(3600)

    with pytest.raises(BaseExceptionGroup) as caught:
        model.run(main)
    assert [str(it) for it in caught.value.exceptions] == ["not here"]


def test_an_exception_may_call_an_attribute_exceptions():
    error = ValueError("of a library")
    error.exceptions = None
    shorten(error)
