"""The hand-written baselines of the ring: one short file per model, without this library, fast and still readable.

Their times show what the mechanism of the model itself costs. Each file is also meant to be read on its own, beside
`concmodels.ring`, and each has the same functions:

    stream(nodes, messages) -> float   all messages under way at once
    token(nodes, messages) -> float    one message under way: the next one is sent when the last has come round

Both return the seconds from the first message sent to the last one received. Units have been started and one message
has been round before the clock starts, and they end after it stops. `hops = nodes * messages`, in both. A message that
is lost, or comes out of order, is a `RuntimeError`.

`stream` and `token` of this module take the model's name first:

    baselines.stream("asyncio", 300, 10_000)

Every call makes its own units. The children of `processes` import `benchmarks.baselines.processes`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BASELINES = {
    "threads": "threads",
    "rawthreads": "rawthreads",
    "processes": "processes",
    "subinterp": "subinterp",
    "greenlet": "greenlet_",
    "tasklets": "greenlet_",  # a tasklet is a greenlet, and there is nothing below it but the same switch
    "gevent": "gevent_",
    "eventlet": "eventlet_",
    "asyncio": "asyncio_",
    "trio": "trio_",
    "anyio": "anyio_",
}
"""The file of each model."""


def load(model: str) -> Any:
    """Return the module of a model. Raises `ValueError` for a model without a baseline, `ImportError`."""
    from importlib import import_module

    if model not in BASELINES:
        raise ValueError(f"there is no baseline for {model!r}; there is one for {', '.join(BASELINES)}")
    return import_module(f"benchmarks.baselines.{BASELINES[model]}")


def stream(model: str, nodes: int, messages: int) -> float:
    """Return the seconds that `messages` take round `nodes`, all under way at once."""
    seconds: float = load(model).stream(nodes, messages)
    return seconds


def token(model: str, nodes: int, messages: int) -> float:
    """Return the seconds that `messages` take round `nodes`, one after the other."""
    seconds: float = load(model).token(nodes, messages)
    return seconds
