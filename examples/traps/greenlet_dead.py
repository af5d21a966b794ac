"""To switch to a greenlet that has ended is no error: the switch comes back at once with what was sent."""

from greenlet import greenlet


def answer(question):
    return f"the answer to {question!r}"


if __name__ == "__main__":
    oracle = greenlet(answer)
    print("first:", oracle.switch("who schedules?"))
    print("second:", oracle.switch("what does a hop cost?"))
    print("dead:", oracle.dead)
