"""`share` with all kinds of sources: what a task sees of them, on every model, and what is refused.

The guarantees that every model gives are in `concmodels.conformance.guarantees.sharing`; here is what they leave out.
"""

import array
import ctypes
import mmap
import sys

import numpy
import pytest
from boundaries import in_turn
from sharing import look, look_with_numpy

from concmodels.models import asyncio_, processes, rawthreads, subinterp, threads, trio_

pytestmark = pytest.mark.usefixtures("nothing_left_behind")


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_double)]


def mapped(data):
    mapping = mmap.mmap(-1, len(data))
    mapping[:] = data
    return mapping


def read_only(source):
    source.flags.writeable = False
    return source


NUMBERS = numpy.arange(24, dtype="int32").reshape(2, 3, 4)
PAIRS = numpy.dtype([("name", "S3"), ("value", ">f8"), ("grid", "i2", (2, 2))], align=True)

PLAIN = {
    "bytes": lambda: b"abc",
    "empty": lambda: b"",
    "bytearray": lambda: bytearray(b"abc"),
    "array": lambda: array.array("d", [1.5, 2]),
    "empty array": lambda: array.array("d"),
    "mmap": lambda: mapped(b"abc"),
    "ctypes array": lambda: (ctypes.c_long * 3)(1, 2, 3),
    "ctypes number": lambda: ctypes.c_short(5),
    "slice": lambda: memoryview(bytearray(range(100)))[10:20],
    "every third": lambda: memoryview(array.array("i", range(100)))[::-3],
    "3 x 4": lambda: memoryview(bytes(range(12))).cast("B", (3, 4)),
    "rows backwards": lambda: memoryview(bytes(range(12))).cast("B", (3, 4))[::-1],
    "int32": lambda: NUMBERS.copy(),
    "read-only": lambda: read_only(NUMBERS.copy()),
    "Fortran": lambda: numpy.asfortranarray(NUMBERS),
    "strides": lambda: NUMBERS[::-1, :, ::2],
    "broadcast": lambda: numpy.broadcast_to(numpy.int16([1, 2]), (3, 2)),
    "0-d": lambda: numpy.array(3.5),
    "bool": lambda: numpy.array([True, False]),
    "half": lambda: numpy.float16([1, 2]),
    "no items": lambda: numpy.zeros(0),
}
"""Sources that have a view everywhere."""

ODD = {
    "no rows": lambda: numpy.zeros((0, 5)),
    "no columns": lambda: numpy.zeros((5, 0), "int8"),
    "complex": lambda: numpy.array([1j, 2]),
    "big-endian": lambda: numpy.arange(5, dtype=">i4"),
    "structured": lambda: numpy.array([(b"abc", 1.5, [[1, 2], [3, 4]])] * 3, PAIRS),
    "datetime": lambda: numpy.array(["2026-01-01", "NaT"], "datetime64[s]"),
    "timedelta": lambda: numpy.array([1, 2], "timedelta64[ms]").reshape(1, 2),
    "text": lambda: numpy.array(["ab", "c"]),
    "long double": lambda: numpy.longdouble([1, 2]),
    "memoryview of complex": lambda: memoryview(numpy.array([[1j, 2], [3, 4]]))[::-1],
}
"""Sources that only numpy can show across a memory boundary."""


def in_task(model, function, sources):
    """What `function` returns for the handles of these sources, in a task of this model."""
    main = _async_in_task if model.facts.is_async else _in_task
    return model.verbs.run(main, model.verbs, function, {name: make() for name, make in sources.items()})


def _in_task(model, function, sources):
    blocks = {name: model.share(source) for name, source in sources.items()}
    with model.TaskGroup() as group:
        return group.spawn(function, blocks).result(30)


async def _async_in_task(model, function, sources):
    async def task(blocks):
        return function(blocks)

    blocks = {name: model.share(source) for name, source in sources.items()}
    async with model.TaskGroup() as group:
        return await group.spawn(task, blocks).result(30)


def test_a_task_has_the_views(model):
    sources = {name: memoryview(make()) for name, make in PLAIN.items()}
    wanted = {name: (it.shape, it.itemsize, it.readonly, it.tobytes()) for name, it in sources.items()}
    assert in_task(model, look, PLAIN) == wanted


def test_a_task_has_the_arrays(model):
    sources = PLAIN | ODD
    made = {name: make() for name, make in sources.items()}
    arrays = {name: numpy.asarray(it if hasattr(it, "dtype") else memoryview(it)) for name, it in made.items()}
    if model.facts.file == "subinterp":
        with pytest.RaisesGroup(pytest.RaisesExc(ImportError, match=r"it refuses subinterpreters.*use view")):
            in_task(model, look_with_numpy, sources)
    else:
        wanted = {name: (str(it.dtype), it.shape, it.flags.writeable, repr(it.tolist())) for name, it in arrays.items()}
        assert in_task(model, look_with_numpy, sources) == wanted


WITHOUT_A_VIEW = ["long double", "datetime", "structured", "no rows"]


@pytest.mark.parametrize(("model", "name"), in_turn([processes, subinterp], WITHOUT_A_VIEW))
def test_what_has_no_view_says_what_to_do(model, name):
    def main():
        with model.share(ODD[name]()) as shared, pytest.raises(TypeError, match=r"a memoryview can't have .*array\(\)"):
            shared.view()

    model.run(main)


def test_a_ctypes_structure_needs_numpy_to_be_known():
    def main():
        with processes.share((Point * 2)((1, 2.5), (3, 4.5))) as shared:
            assert shared.array()["y"].tolist() == [2.5, 4.5]
        with pytest.MonkeyPatch.context() as patch:
            patch.delitem(sys.modules, "numpy")
            with processes.share((Point * 2)()) as shared:
                patch.undo()
                with pytest.raises(TypeError, match=r"share numpy.asarray"):
                    shared.array()

    processes.run(main)


# In one process.


@pytest.mark.parametrize("name", ["structured", "strides", "datetime", "0-d"])
def test_in_one_process_it_is_the_same_memory(name):
    source = (PLAIN | ODD)[name]()
    with threads.share(source) as shared:
        seen = shared.array()
        assert seen.__array_interface__ == source.__array_interface__


def test_views_of_one_process_outlive_the_release():
    source = bytearray(b"abc")
    with rawthreads.share(source) as shared:
        view = shared.view()
        with pytest.raises(BufferError):
            source.append(1)
    assert view.tobytes() == b"abc"
    with pytest.raises(RuntimeError, match="this buffer was released"):
        shared.view()
    view.release()
    source.append(1)


def test_what_no_memoryview_can_have_in_one_process():
    with threads.share(ODD["datetime"]()) as shared:
        with pytest.raises(TypeError, match=r"the dtype datetime64\[s\]: use array"):
            shared.view()
        assert shared.array().dtype == "datetime64[s]"


# What is refused.


@pytest.mark.parametrize("model", [threads, asyncio_, trio_])
@pytest.mark.parametrize("source", [3, "text", [1, 2], None])
def test_what_has_no_buffer_is_refused(model, source):
    with pytest.raises(TypeError, match=rf"not an? {type(source).__name__}$"):
        model.share(source)


ADDRESSES = [
    numpy.array([object()]),
    numpy.array(["a"], "T"),
    numpy.array([(1, "")], "i,O"),
    memoryview(numpy.array([object()])),
    (ctypes.py_object * 1)(),
]


@pytest.mark.parametrize(
    ("model", "source"), [*((threads, it) for it in ADDRESSES), *in_turn([processes, subinterp], ADDRESSES)]
)
def test_addresses_of_objects_are_refused(model, source):
    def main():
        with pytest.raises(TypeError, match="only addresses of objects"):
            model.share(source)

    model.run(main)


@pytest.mark.parametrize("model", [processes, subinterp])
def test_boundaries_refuse_the_same(model):
    def main():
        with pytest.raises(TypeError, match="not a list"):
            model.share([1])

    model.run(main)
    with pytest.raises(RuntimeError, match="there is no run"):
        model.share(b"outside")


@pytest.mark.parametrize("model", [threads, processes])
def test_without_numpy(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)

    def main():
        with model.share(b"abc") as shared:
            assert shared.view().tobytes() == b"abc"
            with pytest.raises(ImportError, match="pip install numpy"):
                shared.array()

    model.run(main)


def test_what_it_says_of_itself():
    with threads.share(b"abc") as shared:
        assert repr(shared) == "<shared buffer of 3 bytes, read-only>"
    with threads.share(bytearray(5)) as shared:
        assert repr(shared) == "<shared buffer of 5 bytes>"
        assert (shared.nbytes, shared.readonly) == (5, False)
