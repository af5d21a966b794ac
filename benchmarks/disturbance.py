"""Other work of the machine while a figure was measured, and the rounds that it disturbed.

A virtual machine's host may give its processors to others (`steal`): of everything that a result has, that explains
the differences between rounds best. Other programs of this machine (`foreign_cores`) and a load generator at its own
limit (`generator_cores`, and `generator_waited` for a processor) do the same. `benchmarks.web.usage` measures them.
"""

from dataclasses import replace

from benchmarks.result import Row

OTHER_WORK, BUSY_GENERATOR = 0.1, 0.9
"""Processors: from there on a figure says more about the machine than about what was measured."""
MARK = "†"
"""This is next to a figure of which a round was disturbed, or limited by the load generator."""
OTHERS, GENERATOR = ("foreign_cores", "steal"), ("generator_cores", "generator_waited")


def disturbed_rounds(row: Row, *, by_others: bool = True, by_generator: bool = True) -> set[int]:
    """Return the rounds in which other work ran beside a row, or the load generator was at its limit."""
    limits = [*[(OTHERS, OTHER_WORK)] * by_others, *[(GENERATOR, BUSY_GENERATOR)] * by_generator]
    return {number for number in row.seconds for names, most in limits if used(row, names, number) > most}


def used(row: Row, names: tuple[str, ...], number: int) -> float:
    """Return the processors that these used together in a round."""
    return sum(row.by_round(name).get(number, 0) for name in names)


def is_disturbed(row: Row) -> bool:
    """Return whether any round of a row was disturbed."""
    return bool(disturbed_rounds(row))


def calm(*rows: Row) -> list[Row]:
    """Return the rows with only those rounds in which none of them was disturbed."""
    bad = set().union(*map(disturbed_rounds, rows))
    return [replace(row, seconds=without(row.seconds, bad), figures=figures_without(row, bad)) for row in rows]


def figures_without(row: Row, bad: set[int]) -> dict[str, dict[int, float]]:
    """Return the other figures of a row without these rounds."""
    return {name: without(values, bad) for name, values in row.figures.items()}


def without(values: dict[int, float], bad: set[int]) -> dict[int, float]:
    """Return the values of the other rounds."""
    return {number: value for number, value in values.items() if number not in bad}


def marked(text: str, row: Row) -> str:
    """Return the text, with the mark if a round of the row was disturbed."""
    return f"{text} {MARK}" if is_disturbed(row) else text
