"""A batch of messages that travels through many tasks stays together: a task is not stopped in the middle of it because
others have worked before."""

from itertools import pairwise

import pytest

from concmodels import catalog, load
from concmodels.errors import ModelUnavailable

NODES, MESSAGES = 60, 100
MODELS = [it for it in catalog.names(variants=True) if not catalog.facts(it).preemptive and "trio" not in it]
"""Those that run their tasks first come, first served; trio draws the order, and there halves may join again."""


@pytest.mark.parametrize("capacity", [MESSAGES, float("inf")])
@pytest.mark.parametrize("name", MODELS)
def test_a_batch_stays_together(name, capacity):
    """Each task works once for the whole batch, so that after 60 tasks no more than 60 have been woken."""
    try:
        model = load(name)
    except ModelUnavailable as error:
        pytest.skip(str(error))
    steps = []
    if catalog.facts(name).is_async:
        model.run(_async_chain, model, capacity, steps)
    else:
        model.run(_chain, model, capacity, steps)
    assert len(steps) == NODES * MESSAGES
    assert sum(one != other for one, other in pairwise(steps)) < NODES


def _chain(model, capacity, steps):
    links = [model.Channel(capacity) for _ in range(NODES + 1)]
    with model.TaskGroup() as group:
        for number in range(NODES):
            group.spawn(_node, links[number], links[number + 1], number, steps)
        model.sleep(0)
        for message in range(MESSAGES):
            links[0].send(message)
        links[0].close()
    assert list(links[-1]) == list(range(MESSAGES))


def _node(inbox, outbox, number, steps):
    for message in inbox:
        steps.append(number)
        outbox.send(message)
    outbox.close()


async def _async_chain(model, capacity, steps):
    links = [model.Channel(capacity) for _ in range(NODES + 1)]
    async with model.TaskGroup() as group:
        for number in range(NODES):
            group.spawn(_async_node, links[number], links[number + 1], number, steps)
        await model.sleep(0)
        for message in range(MESSAGES):
            await links[0].send(message)
        links[0].close()
    assert [message async for message in links[-1]] == list(range(MESSAGES))


async def _async_node(inbox, outbox, number, steps):
    async for message in inbox:
        steps.append(number)
        await outbox.send(message)
    outbox.close()
