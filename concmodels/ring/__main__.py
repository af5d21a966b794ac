"""`python -m concmodels.ring`: the command line; what it spawns is found by name in the imported modules."""

import sys

if __name__ == "__main__":
    try:
        from concmodels.programs.command import as_program, command
        from concmodels.ring.program import Ring

        sys.exit(as_program(command(Ring())))
    except KeyboardInterrupt:
        sys.exit(130)
