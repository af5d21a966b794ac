"""Random programs of plain code, small enough that every schedule of them can be run, switches within a line too.

Two threads read and write one variable or container each time, some of it under a lock. A program is a text, because
what its code accesses is found in its source.
"""

from random import Random

from concmodels.explore.scenarios import of_file

VARIABLES = ("number", "box.number", "cell", "items[0]", "names['a']")
STATEMENTS = ("{} = {own}", "note(({own}, {}))", "{} += 1", "note(({own}, {}))", "{} += 1")
OTHERS = (
    "items.append({own})",
    "note(({own}, len(items)))",
    "note(({own}, items.pop()))",
    "note(({own}, 1 in items))",
    "note(({own}, names.get('b')))",
    "names['b'] = {own}",
    "note(({own}, not names))",
)

TEXT = """
import threading

class Box:
    number = 0

number, box, items, names, lock, seen = 0, Box(), [0, 0], {{"a": 0}}, threading.Lock(), []
note = seen.append

def main():
    cell = 0

    def one():
        nonlocal cell
        global number
        try:
{one}
        except Exception as error:
            note((1, type(error).__name__))

    def two():
        nonlocal cell
        global number
        try:
{two}
        except Exception as error:
            note((2, type(error).__name__))

    first, second = threading.Thread(target=one), threading.Thread(target=two)
    first.start()
    second.start()
    first.join()
    second.join()
    return repr([{subject}, items, names, sorted(map(repr, seen))])
"""
"""What the threads read, they note in a list, whose order is not compared."""


class Program:
    """The random program of this number, a file in this folder."""

    def __init__(self, number, folder):
        draw = Random(number)
        self.subject = draw.choice((*VARIABLES, "", ""))
        bodies = {name: self._body(draw, own) for own, name in enumerate(("one", "two"), 1)}
        self.text = TEXT.format(**bodies, subject=self.subject or "None")
        self.path = folder / f"program_{number}.py"
        self.path.write_text(self.text)
        self.scenario = of_file(str(self.path))

    def watched(self):
        """Have its threads switch before every instruction that accesses what they may share."""
        return self.scenario.monitor.switching("anywhere")

    def _body(self, draw, own):
        lines = [self._statement(draw, own) for _ in range(draw.choice((1, 1, 1, 2)))]
        if draw.random() < 0.2:
            lines[-1] = f"with lock: {lines[-1]}"
        return "\n".join(f"            {line}" for line in lines)

    def _statement(self, draw, own):
        if self.subject:
            return draw.choice(STATEMENTS).format(self.subject, own=own)
        return draw.choice(OTHERS).format(own=own)
