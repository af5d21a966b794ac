"""`share` in the models of one process: all tasks see the object itself, so nothing is copied or pickled.

The handle holds the source's buffer, so that a bytearray can't be resized meanwhile. Each call of `view` asks the
source itself for a new memoryview: without the GIL, one memoryview must not be sliced by two threads at a time.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, NoReturn, Self

RELEASED = "this buffer was released"


class SharedBase:
    """The base of the handles of all models."""

    __slots__ = ("__weakref__", "nbytes", "readonly")

    nbytes: int
    readonly: bool

    def release(self) -> None:
        """Release the buffer: no task can ask for its bytes any more."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def __repr__(self) -> str:
        return f"<shared buffer of {self.nbytes} bytes{', read-only' if self.readonly else ''}>"


class Shared(SharedBase):
    """One object that all tasks see, in the memory where it lies."""

    __slots__ = ("_held", "_source")

    def __init__(self, source: Any) -> None:
        self.nbytes, self.readonly = measure(source)
        self._source = source  # None once it is released
        self._held = None if is_array(source) else memory_of(source)

    def view(self) -> memoryview:
        """Return a new view of the bytes, with the format and shape of the source.

        Raises `RuntimeError` once the buffer is released; `TypeError` if the source is a numpy array of a dtype that no
        memoryview can have, such as datetime64.
        """
        return memory_of(self._present())

    def array(self) -> Any:
        """Return the bytes as a numpy array. Raises `RuntimeError` once released; `ImportError` without numpy."""
        source, numpy = self._present(), import_numpy()
        return numpy.asarray(source).view(numpy.ndarray) if is_array(source) else numpy.asarray(self.view())

    def release(self) -> None:
        """Release the buffer: `view` and `array` raise `RuntimeError` after that. A second call does nothing.

        Views that tasks still have stay valid, and keep the source from being resized or closed.
        """
        self._source = None
        if self._held is not None:
            self._held.release()

    def _present(self) -> Any:
        source = self._source
        if source is None:
            raise RuntimeError(RELEASED)
        return source

    def __reduce__(self) -> NoReturn:
        raise TypeError("a buffer that is shared in one process can't leave it: share it in the model that needs it")


def share(buffer: object) -> Shared:
    """Give all tasks one block of memory: the object itself; see `concmodels.contract.Model.share`."""
    return Shared(buffer)


# What the models with memory boundaries use too.


def is_array(source: object) -> bool:
    """Return whether the source is a numpy array. Does not import numpy: without it, no object is one."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(source, getattr(numpy, "ndarray", ()))


def measure(source: Any) -> tuple[int, bool]:
    """Return the number of bytes, and whether they are read-only. Raises `TypeError` for what can't be shared."""
    if is_array(source):
        _refuse_objects(source.dtype.hasobject)
        return source.nbytes, not source.flags.writeable
    with memory_of(source) as view:
        _refuse_objects(view.format.endswith("O"))
        return view.nbytes, view.readonly


def _refuse_objects(has_some: bool) -> None:
    if has_some:
        raise TypeError("an array of Python objects can't be shared: its bytes are only addresses of objects")


def memory_of(source: Any) -> memoryview:
    """Return a new memoryview of the source. Raises `TypeError` if it can't have one."""
    try:
        return memoryview(source)
    except TypeError:
        name = type(source).__name__
        raise TypeError(
            f"share needs something that has a buffer (bytes, bytearray, array, mmap, a numpy array), not a {name}"
        ) from None
    except ValueError:
        if not is_array(source):
            raise  # the source is closed, or a view that was released
        raise TypeError(no_view(f"the dtype {source.dtype}")) from None


def no_view(what: str) -> str:
    """Return the error message for what only numpy can show."""
    return f"a memoryview can't have {what}: use array(), or share the bytes themselves"


def import_numpy() -> Any:
    """Import numpy. Raises `ImportError` with a sentence that says what to do."""
    try:
        import numpy
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        raise ImportError("array() needs numpy, which is not installed (pip install numpy); view() does not") from None
    except ImportError as error:
        raise ImportError("numpy does not load here (it refuses subinterpreters): use view()") from error
    return numpy
