"""`python -m concmodels.serve`: the command line; what it spawns is found by name in the imported modules."""

import sys

if __name__ == "__main__":
    try:
        from concmodels.programs.command import as_program
        from concmodels.serve.program import command

        sys.exit(as_program(command()))
    except KeyboardInterrupt:
        sys.exit(130)
