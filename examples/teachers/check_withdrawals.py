"""Mark exercise 5.1 on every schedule: python check_withdrawals.py HAND-IN.py ...

`main` of a hand-in returns the balance. 20 is right: of two who want 80 out of 100, exactly one gets it.
"""

import sys

from concmodels.explore import CannotExplore, StillComputing, explore

RIGHT = 20


def check(balance):
    assert balance == RIGHT, f"main returned {balance!r} instead of {RIGHT}"


def main(files):
    """Mark them; return the exit status: 1 if one is wrong."""
    wrong = 0
    for file in files:
        try:
            report = explore(file, check=check)
        except (CannotExplore, StillComputing) as error:
            wrong += 1
            print(f"{file}: {error}")
            continue
        wrong += report.failure is not None
        print(f"{report.sentence}; returned: {', '.join(map(repr, report.outcomes)) or 'nothing'}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
