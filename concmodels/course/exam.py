"""An exam of one session, others for each student, and the key: wrong answers to explain, schedules to replay."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from concmodels.course.catalogue import exercises
from concmodels.course.exercise import Exercise
from concmodels.course.isolated import check_isolated
from concmodels.course.selftest import LIMITS, diagnosis
from concmodels.course.showing import COMMAND
from concmodels.course.verdict import Judged
from concmodels.programs.output.streams import BadInput

ASKED = "What does the check say of this answer? Name the lines, in the order in which they go wrong, and repair it."

REPLAYED = """Save this answer as `{file}` in an empty folder, and replay one of its schedules there:

```console
$ {command} check {number} --replay {replay}
```

Which lines make it fail (most often two), in which order do they run, and why is that wrong?"""

type Answer = tuple[Exercise, Path]


@dataclass(frozen=True)
class Question:
    """A question of an exam: what is asked, the code that it is about, and the key to it."""

    title: str
    asked: str
    code: str
    key: str


def exam(session: int, student: str, questions: int, replays: int, *, has_key: bool) -> str:
    """Return the exam of a student as Markdown; the same name gives the same questions. Raises `BadInput`.

    It has so many wrong answers, and so many others to be replayed, for which the explorer is run.
    """
    choices = _wrong_answers(session)
    if questions > len(choices):
        raise BadInput(f"session {session} has {len(choices)} wrong answers, which is fewer than {questions}")
    drawn = Random(f"{session} {student}").sample(choices, len(choices))
    asked = [_to_explain(its, file) for its, file in drawn[:questions]] + _to_replay(drawn[questions:], replays)
    lines = [f"# Session {session}: {student}"]
    for number, it in enumerate(asked, 1):
        lines += ["", f"## {number}. {it.title}", "", it.asked, "", "```python", it.code, "```"]
        if has_key:
            lines += ["", it.key]
    return "\n".join(lines)


def _wrong_answers(session: int) -> list[Answer]:
    """Return the wrong answers of a session that can be asked about. Raises `BadInput`."""
    of_session = [it for it in exercises().values() if it.session == session]
    if not of_session:
        raise BadInput(f"there is no session {session}: they are numbered from 1 to 6")
    of_session[0].must_have_solution()
    # An answer that is a replay id itself says nothing to a reader, and a whole channel too much.
    return [(it, file) for it in of_session for file in it.answers("wrong") if it.check == "check.py"]


def _to_explain(its: Exercise, file: Path) -> Question:
    return Question(its.title, ASKED, _code(file), f"**Key:** {diagnosis(file)} {_source(its, file)}")


def _to_replay(answers: list[Answer], count: int) -> list[Question]:
    """Return questions on the first answers of which a schedule can be replayed. Raises `BadInput` if they are too few.

    Those that fail by a forced switch come first: others may fail on every schedule.
    """
    forced: list[Question] = []
    others: list[Question] = []
    failures = _failures(answers)
    while len(forced) < count and (failure := next(failures, None)) is not None:
        its, file, step = failure
        is_forced = any(line.startswith(">") for line in step.picture.splitlines())
        (forced if is_forced else others).append(_on_schedule(its, file, step))
    found = [*forced, *others][:count]
    if len(found) < count:
        raise BadInput(f"besides these questions, {len(found)} answers can be replayed, which is fewer than {count}")
    return found


def _failures(answers: list[Answer]) -> Iterator[tuple[Exercise, Path, Judged]]:
    """Check the answers as they are printed, one after the other, and yield the steps that fail on a schedule."""
    for its, file in answers:
        steps = check_isolated(its, _code(file).encode(), LIMITS).steps
        if failed := [step for step in steps if step.replay]:
            yield its, file, failed[0]


def _on_schedule(its: Exercise, file: Path, step: Judged) -> Question:
    asked = REPLAYED.format(file=its.file, command=COMMAND, number=its.number, replay=step.replay)
    key = f"**Key:** {step.sentence} {_source(its, file)}\n\n```text\n{step.picture}\n```"
    return Question(its.title, asked, _code(file), key)


def _code(file: Path) -> str:
    """Return the code of a wrong answer, without its first line, which names the diagnosis."""
    return file.read_text(encoding="utf-8").partition("\n")[2].strip()


def _source(its: Exercise, file: Path) -> str:
    return f"(exercise {its.number}, {file.stem})"
