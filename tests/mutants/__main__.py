"""Which mutants do the guarantees kill? `python tests/mutants --help`; exit status 1 if one lives."""

import argparse
import sys
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])

from rich.console import Console  # noqa: E402 - only now ours are found
from rich.table import Table  # noqa: E402

from mutants import judge, mutants  # noqa: E402

WIDTH = 180


def main():
    options = _options()
    chosen = [it for it in mutants() if not options.only or any(part in repr(it) for part in options.only)]
    suite = judge.whole if options.whole else judge.reduced
    began, verdicts, screen = time.monotonic(), [], Console(stderr=True)
    rounds = options.rounds or (0 if options.whole else judge.ROUNDS)
    how = {"rounds": rounds, "to_the_end": options.whole, "only_chapters": options.chapters}
    for verdict in judge.judge_all(chosen, suite, **how):
        verdicts.append(verdict)
        killer = verdict.first.guarantee if verdict.first else "LIVES"
        screen.print(f"{verdict.mutant!r}: {killer}", highlight=False, soft_wrap=True)
        for kill in verdict.disputed:
            screen.print(f"    kept by nobody: {kill.guarantee}: {kill.reason}", highlight=False, soft_wrap=True)
    Console(width=WIDTH).print(_table(verdicts))
    alive = [repr(it.mutant) for it in verdicts if not it.killers]
    print(f"{len(verdicts)} mutants in {time.monotonic() - began:.0f} s, {len(alive)} alive {' '.join(alive)}")
    return 1 if alive else 0


def _options():
    parser = argparse.ArgumentParser(prog="python tests/mutants", description=__doc__)
    parser.add_argument("only", nargs="*", help="only the mutants whose names contain one of these")
    parser.add_argument("--whole", action="store_true", help="all guarantees, to the end, and how many kill each")
    parser.add_argument("--chapters", action="store_true", help="only the chapters that should find the mutant")
    parser.add_argument("--rounds", type=int, help="at most so many rounds where a guarantee has some")
    return parser.parse_args()


def _table(verdicts):
    table = Table("mutant", "model", "what it breaks", "first killer", "why", "s", "killers")
    for it in verdicts:
        killer, reason, seconds = it.first or ("none", "", 0)
        count = f"{len(it.killers)}{'' if it.is_complete else '+'}/{it.held}"
        table.add_row(f"{it.mutant!r}", it.mutant.model, it.mutant.breaks, killer, reason[:40], f"{seconds:.1f}", count)
    return table


if __name__ == "__main__":
    sys.exit(main())
