"""An exam of one session: wrong answers to be explained, others for each student, and the key to it."""

from random import Random

from concmodels.course.catalogue import exercises
from concmodels.course.selftest import diagnosis
from concmodels.programs.output.streams import BadInput

ASKED = "What does the check say of this answer? Name the lines, in the order in which they go wrong, and repair it."


def exam(session: int, student: str, questions: int, *, has_key: bool) -> str:
    """Return the exam of a student as Markdown; the same name gives the same questions. Raises `BadInput`."""
    of_session = [it for it in exercises().values() if it.session == session]
    if not of_session:
        raise BadInput(f"there is no session {session}: they are numbered from 1 to 6")
    of_session[0].must_have_solution()
    # A replay id says nothing to a reader, and a whole channel too much.
    choices = [(it, file) for it in of_session for file in it.answers("wrong") if it.check == "check.py"]
    if questions > len(choices):
        raise BadInput(f"session {session} has {len(choices)} wrong answers, which is fewer than {questions}")
    lines = [f"# Session {session}: {student}"]
    for number, (its, file) in enumerate(Random(f"{session} {student}").sample(choices, questions), 1):
        code = file.read_text(encoding="utf-8").partition("\n")[2].strip()
        lines += ["", f"## {number}. {its.title}", "", ASKED, "", "```python", code, "```"]
        if has_key:
            lines += ["", f"**Key:** {diagnosis(file)} (exercise {its.number}, {file.stem})"]
    return "\n".join(lines)
