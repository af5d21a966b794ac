"""Grade many hand-ins at once: python gradebook.py closing hand-ins/*.py ("" instead of "closing": all guarantees)"""

import sys
from collections import defaultdict

from concmodels.conformance import Refused, Report, grade


def by_chapter(report: Report) -> dict[str, tuple[int, int]]:
    """How many guarantees of each chapter are kept, of how many that were made."""
    kept, made = defaultdict[str, int](int), defaultdict[str, int](int)
    for line in report.kept + report.broken:
        chapter = line.guarantee.partition(".")[0]
        made[chapter] += 1
        kept[chapter] += line.verdict == "kept"
    return {chapter: (kept[chapter], made[chapter]) for chapter in made}


def main(only: str, files: list[str]) -> None:
    for file in files:
        try:
            report = grade(file, only=only)
        except Refused as error:  # no Channel in it, or it can't be imported
            print(f"{file}: {error}")
            continue
        points = ", ".join(f"{chapter} {kept}/{made}" for chapter, (kept, made) in by_chapter(report).items())
        print(f"{report.model}: {report.grade}; {points}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
