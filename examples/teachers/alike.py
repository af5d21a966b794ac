"""Which hand-ins are alike up to names? python alike.py [--from PERCENT] FILE-OR-FOLDER ...

Two functions are alike if their syntax trees are, without names, texts and comments. Long functions weigh more.
"""

import argparse
import ast
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

from hand_ins import files_in


def functions(file):
    """Return the functions of a file, without names, and how often it has each."""
    try:
        tree = ast.parse(file.read_bytes())
    except SyntaxError, ValueError:
        return Counter()
    return Counter(
        nameless(node) for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    )


def nameless(function):
    """Return the syntax tree of a function as text, without names, texts and annotations."""
    for node in ast.walk(function):
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "type_comment"):
                setattr(node, field, None)
            elif isinstance(value, str):
                setattr(node, field, "")
            elif field == "body" and isinstance(value, list):
                node.body = [it for it in value if not is_text(it)]
    return ast.dump(function)


def is_text(statement):
    """Return whether a statement is a docstring, or another text that does nothing."""
    return isinstance(statement, ast.Expr) and isinstance(getattr(statement.value, "value", None), str)


def size(functions):
    return sum(len(text) * number for text, number in functions.items())


def main():
    """Print the pairs of files that are alike, and how much of the longer one is in the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", metavar="FILE-OR-FOLDER", type=Path, nargs="+", help="of a folder, all .py files")
    parser.add_argument("--from", metavar="PERCENT", dest="least", type=float, default=80, help="default 80")
    options = parser.parse_args()
    files = {file: functions(file) for file in files_in(options.paths)}
    pairs = []
    for one, other in combinations(files, 2):
        longer = max(size(files[one]), size(files[other]))
        percent = 100 * size(files[one] & files[other]) / longer if longer else 0
        if percent >= options.least:
            pairs.append((percent, one, other))
    for percent, one, other in sorted(pairs, reverse=True):
        print(f"{percent:3.0f} %  {one}  {other}")


if __name__ == "__main__":
    sys.exit(main())
