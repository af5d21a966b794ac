"""To switch to a greenlet that has ended is no error: the switch goes to that one's parent, with what was sent."""

from greenlet import getcurrent, greenlet


def answer(question: str) -> str:
    return f"the answer to {question!r}"


def mother(question: str) -> None:
    while True:
        question = getcurrent().parent.switch(f"the mother got {question!r}")  # type: ignore[union-attr]


if __name__ == "__main__":
    oracle = greenlet(answer)
    print("first:", oracle.switch("who schedules?"))
    print("second:", oracle.switch("what does a hop cost?"))
    print("dead:", oracle.dead)

    parent = greenlet(mother)
    parent.switch("hello")
    child = greenlet(answer, parent)
    print("with another parent:", child.switch("who schedules?"))
    print("once it is dead:", child.switch("what does a hop cost?"))
