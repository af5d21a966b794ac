"""Takes things across a memory boundary: functions by name, data by pickle, channels by number, the rest not at
all.

`pack_call` refuses before a task starts, with a sentence that names the argument and the reason. Items of channels are
pickled the quick way; only what that refuses is looked at more closely. In what is refused, "here" is the side that
pickles, and "the other side" the one that unpickles.
"""

import sys
from _pickle import Pickler, PicklingError
from _pickle import dumps as dumps
from _pickle import loads as _loads
from _thread import RLock, get_ident

from concmodels.errors import CannotTravel, RemoteError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

_MODELS = "concmodels.models."
_NO_MODELS = ("sharing", "variant")
_MAIN = ("__main__", "__mp_main__")
_LARGE_BUFFER = 1 << 12  # bytes


def _open_model(name: str) -> ModuleType:
    """Return the model that is a module, where it arrives."""
    from importlib import import_module

    return import_module(name)


def _reason(value: object) -> str | None:
    """Return why a function can't be pickled by name, or None if it can."""
    name, module = getattr(value, "__qualname__", ""), getattr(value, "__module__", None)
    if "<lambda>" in name:
        return "a lambda has no name by which the other side could import it"
    if "<locals>" in name:
        return f"{name.rpartition('.')[2]!r} is defined inside a function, so the other side can't import it"
    if module == "__main__" and main_file() is None:
        return why_not_main(name)
    return None


class _Careful(Pickler):
    """A pickler that knows the models, and says in a sentence what it refuses and why."""

    home: Any = None  # the run that it pickles for

    def reducer_override(self, value: Any) -> Any:
        kind = type(value)
        if kind.__name__ == "module":
            if value.__name__.startswith(_MODELS):
                return _open_model, (value.__name__,)
            raise CannotTravel(f"the module {value.__name__!r} can't travel: import it on the other side")
        if kind.__name__ == "function" or isinstance(value, type):
            reason = _reason(value)
            if reason is not None:
                raise CannotTravel(reason)
        elif kind.__module__.startswith(_MODELS):
            self._check_ours(value)
        elif kind.__name__ == "socket" and kind.__module__ == "socket":
            if self.home is None:
                raise CannotTravel("a socket travels as an argument, an item or a result, and not in an exception")
            return self.home.reduce_socket(value)
        elif kind.__module__ in _MAIN and main_file() is None:
            raise CannotTravel(why_not_main(kind.__qualname__))
        return NotImplemented

    def _check_ours(self, value: Any) -> None:
        kind = type(value)
        if kind.__name__ == "Model" or issubclass(kind, BaseException):
            return
        file = kind.__module__.removeprefix(_MODELS)
        model = None if "." in file or file in _NO_MODELS else file.rstrip("_")
        home = getattr(value, "home", None)
        if home is None:
            of = f" of the model {model!r}" if model else ""
            own = ": open one in the task itself" if kind.__name__ == "TaskGroup" else ""
            raise CannotTravel(f"a {kind.__name__}{of} belongs to the place where it was made{own}")
        if home is not self.home:
            what = "buffer" if kind.__name__ == "Shared" else "channel"
            of = model or home.kind
            raise CannotTravel(f"this {what} belongs to another run (of the model {of!r})")


class Pieces:
    """The output of a pickler, in pieces: it hands over large bytes as they are, and these are not copied here.

    Beside them are the buffers that it leaves out, for callers that ask for that (pickle's protocol 5).
    """

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.buffers: list[memoryview] = []
        self.size = 0  # of the parts

    def write(self, data: Any) -> None:
        """Take what the pickler writes; only bytes are sure to be the same afterwards."""
        part = data if type(data) is bytes else bytes(data)
        self.parts.append(part)
        self.size += len(part)

    def leave_out(self, buffer: Any) -> bool:
        """Take a buffer; return True if it is to be part of the pickle: it is small, or does not lie in one piece."""
        try:
            view: memoryview = buffer.raw()
        except BufferError:
            return True
        if view.nbytes < _LARGE_BUFFER:
            return True
        self.buffers.append(view)
        return False


def quick_pieces(value: object) -> Pieces | None:
    """Pickle the quick way, but without a copy of what is large; return None for what that refuses."""
    pieces = Pieces()
    try:
        Pickler(pieces, 5, buffer_callback=pieces.leave_out).dump(value)
    except Exception:  # noqa: BLE001 - whatever it was, the careful way says it better
        return None
    return pieces


def careful_pieces(value: object, home: object, *, whole: bool = False) -> Pieces:
    """Pickle as `careful_dumps` does, but without a copy of what is large; as a `whole` no buffer is left out."""
    pieces = Pieces()
    pickler = _Careful(pieces, 5, buffer_callback=None if whole else pieces.leave_out)
    pickler.home = home
    pickler.dump(value)
    return pieces


def careful_dumps(value: object, home: object = None) -> bytes:
    """Pickle a value. Raises `CannotTravel` with a sentence for what is refused here, and else what pickle raises."""
    return b"".join(careful_pieces(value, home, whole=True).parts)


def dumps_any(value: object, home: object) -> bytes:
    """Pickle the quick way, and carefully what that refuses: only that way can modules that are models be pickled."""
    try:
        return dumps(value, 5)
    except Exception:  # noqa: BLE001 - whatever it was, the careful way says it better
        pass
    return careful_dumps(value, home)


def pack(item: object, home: object) -> bytes:
    """Pickle an item for a channel of the run `home`. Raises `CannotTravel`."""
    try:
        return dumps_any(item, home)
    except Exception as error:
        raise CannotTravel(f"a {type(item).__name__} can't travel through this channel: {reason_of(error)}") from error


def unpack(data: Any) -> Any:
    """Unpickle; import the program's main file only when something in it is asked for."""
    try:
        return _loads(data)
    except AttributeError, ImportError:
        if not import_main():
            raise
        return _loads(data)


def unpack_arrived(data: Any, what: str, loads: Callable[[Any], Any] = _loads) -> Any:
    """Unpickle what the program sends. Raises `CannotTravel` if it could be pickled but can't be unpickled."""
    try:
        try:
            return loads(data)
        except AttributeError, ImportError:
            if not import_main():
                raise
            return loads(data)
    except (
        Exception,
        SystemExit,
        KeyboardInterrupt,
    ) as error:  # whatever it is, the item's own code has raised it
        from concmodels.models.tasks.signals.guard import is_signal

        if is_signal(error):
            raise
        if isinstance(error, CannotTravel):  # it says all
            raise CannotTravel(f"{what} can't be unpickled where it arrives: {error}") from None
        raise CannotTravel(f"{what} can't be unpickled where it arrives: {reason_of(error)}") from error


def reason_of(error: BaseException) -> str:
    """Return why something can't be pickled or unpickled, for the middle of a sentence."""
    if isinstance(error, RecursionError):
        return f"it is nested too deeply ({error})"
    if isinstance(error, TypeError) and any(kind in str(error) for kind in ("'_thread.lock'", "'_thread.RLock'")):
        return "a lock guards only the memory of its own process or interpreter: wait at a channel instead"
    if isinstance(error, (TypeError, PicklingError)) and str(error):
        return str(error)  # a sentence of pickle's, or of this library's
    return f"{type(error).__name__}: {error}"


def pack_call(
    function: Callable[..., Any], args: tuple[Any, ...], home: object, kwargs: dict[str, Any] | None = None
) -> bytes:
    """Pickle a function and its arguments. Raises `CannotTravel`, which names the one that can't be pickled."""
    return b"".join(call_pieces(function, args, home, kwargs, whole=True).parts)


def call_pieces(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    home: object,
    kwargs: dict[str, Any] | None = None,
    *,
    whole: bool = False,
) -> Pieces:
    """Pickle as `pack_call` does, but without a copy of what is large; as a `whole` no buffer is left out."""
    if not callable(function):
        raise TypeError(f"spawn needs a function, not {function!r}")
    try:
        return careful_pieces((function, args) if kwargs is None else (function, args, kwargs), home, whole=whole)
    except Exception as error:  # whatever pickle stumbled over
        _blame("the function", function, home)
        for number, value in enumerate(args, 1):
            _blame(f"argument {number}", value, home)
        for name, value in (kwargs or {}).items():
            _blame(f"argument {name}", value, home)
        raise CannotTravel(f"the call of {_name(function)} can't travel: {reason_of(error)}") from error


def pack_result(value: object, home: object, refusal: str) -> bytes:
    """Pickle what a task returned. Raises `CannotTravel`, whose text is this refusal and the reason."""
    try:
        return dumps_any(value, home)
    except Exception as error:
        raise CannotTravel(f"{refusal}: {reason_of(error)}") from error


def _blame(what: str, value: object, home: object) -> None:
    try:
        careful_dumps(value, home)
    except Exception as error:
        sentence = f"{what} ({_name(value)}) can't travel to another process or interpreter: {reason_of(error)}"
        raise CannotTravel(sentence) from error


def _name(value: object) -> str:
    return getattr(value, "__qualname__", None) or f"a {type(value).__name__}"


# Errors.


def pack_error(error: BaseException, task: str, *, of_pool: bool = False) -> bytes:
    """Pickle an exception with its remote traceback, or as a `RemoteError` if the other side can't unpickle it.

    The traceback becomes a note of the exception; in a pool, if the exception has no other cause, it becomes the cause,
    as in the executors of the standard library.
    """
    import traceback

    from concmodels.models.tasks.signals.tracebacks import shorten

    shorten(error)
    text = "".join(traceback.format_exception(error))
    try:
        if not (of_pool and (error.__cause__ is None or isinstance(error.__cause__, RemoteError))):
            has_more = error.__cause__ or (error.__context__ and not error.__suppress_context__)
            told = text if has_more else "".join(traceback.format_tb(error.__traceback__))
            error.add_note(f"In task {task!r}, beyond a memory boundary:\n{told}".rstrip(":\n"))
        data = careful_dumps(error)
        if type(_loads(data)) is type(error):
            return dumps((data, task, text, _pack_cause(error.__cause__)), 5)
    except Exception:  # noqa: BLE001 - it can't be pickled, whatever the reason
        pass
    return dumps((None, task, text, None), 5)


def _pack_cause(cause: BaseException | None) -> bytes | None:
    """Pickle what an exception was raised from, which pickle leaves out; return None if it can't be pickled."""
    if cause is None:
        return None
    try:
        data = careful_dumps(cause)
        return data if type(_loads(data)) is type(cause) else None
    except Exception:  # noqa: BLE001 - as above; the text of the traceback has it
        return None


def unpack_error(data: bytes, *, of_pool: bool = False) -> BaseException:
    """Return the exception that `pack_error` packed, of its own type if that can be unpickled here."""
    pickled, task, text, cause = _loads(data)
    if pickled is not None:
        try:
            error = unpack(pickled)
            if cause is not None:
                error.__cause__ = unpack(cause)
            elif of_pool:
                error.__cause__ = RemoteError(task, text)
        except Exception:  # noqa: BLE001 - it could be pickled but can't be unpickled here
            error = None
        if isinstance(error, BaseException):
            error.__traceback__ = None  # a library may have taught pickle to bring one along: the text has it already
            return error
    return RemoteError(task, text)


# The program's main file. Its path is pickled; the other side imports it under the name `__mp_main__`.

_main: tuple[str, str] | None = None
_main_checked = False
_main_is_here = True  # in the parent, and in its forks
_main_was_imported = False  # in a child
_importing_thread = 0  # the thread that does so now
_importing = RLock()  # importing the main program runs it, and that may ask for something of it again


def main_file() -> tuple[str, str] | None:
    """Return (path, package) of the main program, if the other side can import it: a file with the usual guard."""
    global _main, _main_checked
    if not _main_checked:
        module = sys.modules["__main__"]
        path = getattr(module, "__file__", None)
        if path and _is_guarded(path):
            _main = _absolute(path), getattr(module, "__package__", None) or ""
            sys.modules.setdefault("__mp_main__", module)
        _main_checked = True  # last: another thread may ask meanwhile, and would take "not looked yet" for "none"
    return _main


def why_not_main(name: str) -> str:
    """Return the sentence for a function or class of a main program that can't be imported."""
    path = getattr(sys.modules["__main__"], "__file__", None)
    if path is None or path.startswith("<"):
        if "IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None:
            return (
                f"{name!r} was typed into a notebook: begin its cell with `%%writefile tasks.py` and import it from "
                "there, so that the other side can import it too"
            )
        return f"{name!r} was typed at a prompt or read from a pipe: put it in a file that the other side can import"
    return (
        f"{name!r} is in the main program, which the other side imports, and so would start again: write "
        "`if __name__ == '__main__':` before the call of run"
    )


def _absolute(path: str) -> str:
    import os

    return os.path.abspath(path)


def _is_guarded(path: str) -> bool:
    """Return whether the file has an `if __name__ == "__main__":` at its top level."""
    try:
        with open(path, "rb") as file:
            source = file.read()
        if b"__main__" not in source:
            return False
        only_tree = 0x400
        tree: Any = compile(source, path, "exec", only_tree, dont_inherit=True)
    except OSError, SyntaxError, ValueError:
        return False
    return any(type(node).__name__ == "If" and _asks_for_main(node.test) for node in tree.body)


def _asks_for_main(test: Any) -> bool:
    sides = [test.left, *test.comparators] if type(test).__name__ == "Compare" else []
    return {getattr(side, "id", getattr(side, "value", None)) for side in sides} == {"__name__", "__main__"}


def know_main(main: tuple[str, str] | None) -> None:
    """Note, in a child, where the main program is."""
    global _main, _main_checked, _main_is_here
    if not _main_checked:
        _main, _main_checked, _main_is_here = main, True, False


def is_importing_main() -> bool:
    """Return whether this thread is importing the main program."""
    return _importing_thread == get_ident()


def import_main() -> bool:
    """Import the main program, in a child, as `__mp_main__`; return False where there is none to be imported.

    It is put under both its names. A thread that comes second waits until the first one has imported it.
    """
    global _main_was_imported
    with _importing:
        if _main is not None and not _main_is_here:
            _import_main(*_main)
            _main_was_imported = True
        return _main_was_imported


def _import_main(path: str, package: str) -> None:
    global _main_is_here, _importing_thread
    _main_is_here, _importing_thread = True, get_ident()
    module = type(sys)("__mp_main__")
    module.__file__, module.__package__ = path, package or None
    sys.modules["__mp_main__"] = sys.modules["__main__"] = module
    try:
        with open(path, "rb") as file:
            exec(compile(file.read(), path, "exec", dont_inherit=True), module.__dict__)
    except BaseException:
        _main_is_here = False
        raise
    finally:
        _importing_thread = 0
