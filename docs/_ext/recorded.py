"""Runs a program and records what its models do: `recorded.py FILE PROGRAM`. The program needs no line for that."""

import runpy
import sys

from concmodels import trace


def main(file: str, program: str) -> None:
    """Run the program as a script, and write the trace into this file."""
    with trace.to(file):
        runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main(*sys.argv[1:])
