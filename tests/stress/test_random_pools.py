"""Random programs that use a pool while they are cancelled: each task hears of that, and none of the pool's end."""

import asyncio
import random
from contextlib import asynccontextmanager, contextmanager, suppress

import pytest
from kinds import untouched
from random_programs import plain_pool_users, pool_users

from concmodels.errors import Terminated

SCOPED = ("trio", "anyio", "anyio:trio")
LIMITED = (*SCOPED, "asyncio", "gevent", "eventlet")


def limit(name):
    """The time limit of this model's library, that ends its block silently."""
    if name in SCOPED:
        library = __import__(name.partition(":")[0])

        @asynccontextmanager
        async def scoped(seconds):
            with library.move_on_after(seconds) as scope:
                yield scope

        return scoped
    if name == "asyncio":

        @asynccontextmanager
        async def limited(seconds):
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    yield

        return limited

    @contextmanager
    def in_hub(seconds):
        timeout = __import__(name).Timeout
        with timeout(seconds, False):
            yield

    return in_hub


def endings(name):
    """What can cancel a program of this model."""
    return [it for it in pool_users.ENDINGS if (it != "scope" or name in SCOPED) and (it != "limit" or name in LIMITED)]


def programs(setting, thorough):
    """How many: processes and interpreters are started for each."""
    boundary = setting.facts.file in ("processes", "subinterp")
    return (20 if boundary else 1000) if thorough else (3 if boundary else 30)


def is_left_out(params):
    """Whether this model is tried only with `--thorough`; spawn starts a process ten times as slowly as fork."""
    return params["model"] == "processes:spawn" or untouched("pooling_ends")(params)


@pytest.mark.timeout(300)
@pytest.mark.thorough(when=is_left_out)
def test_a_cancelled_user_of_a_pool_hears_of_that(model, thorough):
    texts = pool_users if model.facts.is_async else plain_pool_users
    all_endings = endings(model.name)
    for number in range(programs(model, thorough)):
        draw = random.Random(number)
        ending = all_endings[number % len(all_endings)]
        arguments = (model.verbs, draw, ending, *([limit(model.name)] if model.name in LIMITED else ()))
        try:
            told = model.verbs.run(texts.program, *arguments)
        except KeyboardInterrupt:
            assert ending == "SIGINT"
        except Terminated:
            assert ending == "SIGTERM"
        else:
            assert not ending.startswith("SIG") and told == [], f"program {number}, {ending}"
