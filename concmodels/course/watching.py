"""Checks an answer again whenever its file is saved; on a terminal, single keys do the rest."""

import contextlib
import select
import sys
import time
from collections.abc import Callable, Iterator

from concmodels.course import showing
from concmodels.course.exercise import Exercise
from concmodels.course.progress import Progress
from concmodels.course.verdict import Verdict

LOOK_S = 0.3
"""How often the file is looked at."""
STABLE_S = 0.1
"""How long it must stay the same: an editor may write in several pieces."""
KEYS = "h: hint, c: check again, l: the task, n: the next exercise, q: leave"


def watch(
    progress: Progress, exercise: Exercise, say: Callable[[str], None], check: Callable[[], Verdict]
) -> int | None:
    """Check at once, and then after each change, until the answer is right, or until `q` or `n` is pressed.

    Return the exit status, or None if the next exercise is to follow.
    """
    with _keys() as key:
        seen = _stamp(progress, exercise)
        while not check().is_right:
            say(f"\n{KEYS}" if _is_terminal() else "waiting for a change of the file")
            while seen == (now := _stable(progress, exercise)):
                pressed = key(LOOK_S)
                if pressed in ("q", "n"):
                    return 1 if pressed == "q" else None
                if pressed == "c":
                    break
                _answer(pressed, progress, exercise, say)
            seen = now
        return _after(key, say) if _is_terminal() else 0


def _after(key: Callable[[float], str], say: Callable[[str], None]) -> int | None:
    """Wait for a key once the answer is right."""
    say("\nn: the next exercise, q: leave")
    while (pressed := key(LOOK_S)) not in ("n", "q"):
        pass
    return 0 if pressed == "q" else None


def _is_terminal() -> bool:
    return bool(sys.stdin and sys.stdin.isatty())


def _answer(pressed: str, progress: Progress, exercise: Exercise, say: Callable[[str], None]) -> None:
    if pressed == "h":
        shown = progress.hints[exercise.number] = min(progress.hints.get(exercise.number, 0) + 1, len(exercise.hints))
        progress.save()
        say(showing.hint(exercise, shown))
    elif pressed == "l":
        say(exercise.text("task.md"))


def _stamp(progress: Progress, exercise: Exercise) -> tuple[int, int] | None:
    with contextlib.suppress(OSError):  # an editor may be about to replace it
        found = (progress.folder / exercise.file).stat()
        return found.st_size, found.st_mtime_ns
    return None


def _stable(progress: Progress, exercise: Exercise) -> tuple[int, int] | None:
    """Return the size and the time of the file, once they stay the same."""
    before = _stamp(progress, exercise)
    while True:
        time.sleep(STABLE_S)
        now = _stamp(progress, exercise)
        if now is not None and now == before:
            return now
        before = now


@contextlib.contextmanager
def _keys() -> Iterator[Callable[[float], str]]:
    """Give a function that waits so many seconds for a key, where standard input is a terminal that can do that."""
    try:
        import termios
        import tty
    except ImportError:
        yield _no_key
        return
    if not _is_terminal():
        yield _no_key
        return
    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield lambda seconds: sys.stdin.read(1) if select.select([sys.stdin], [], [], seconds)[0] else ""
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _no_key(seconds: float) -> str:
    time.sleep(seconds)
    return ""
