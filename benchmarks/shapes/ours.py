"""Shapes on the channels of a model."""

from collections.abc import Callable
from typing import Any

from benchmarks.calls import Took, not_without
from benchmarks.shapes import Shape, awaited, straight


def run(model: str, **sizes: Any) -> Took:
    """Run a shape on a model, in a run of its own."""
    from concmodels import catalog

    not_without(model)
    loaded: Any = catalog.load(model)
    took: Took = loaded.run(async_main if catalog.facts(model).is_async else main, loaded, Shape(**sizes))
    return took


def main(model: Any, shape: Shape) -> Took:
    """Make the channels of a shape, and run it in a group."""
    links = links_of(model, shape)
    with model.TaskGroup() as group:

        def spawn(function: Callable[..., None], *args: Any) -> Callable[[], object]:
            result: Callable[[], object] = group.spawn(function, *args).result
            return result

        return straight.run(spawn, links, shape)


async def async_main(model: Any, shape: Shape) -> Took:
    """The async form of `main`."""
    links = links_of(model, shape)
    async with model.TaskGroup() as group:

        def spawn(function: Callable[..., Any], *args: Any) -> Callable[[], Any]:
            result: Callable[[], Any] = group.spawn(function, *args).result
            return result

        return await awaited.run(spawn, links, shape)


def links_of(model: Any, shape: Shape) -> list[tuple[Any, Any]]:
    """Return the two ends of each channel."""
    from math import inf

    channels = [model.Channel(inf if capacity is None else capacity) for capacity in shape.capacities]
    return [(channel.send, channel.receive) for channel in channels]
