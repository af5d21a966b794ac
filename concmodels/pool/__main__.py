"""`python -m concmodels.pool`: the command line; what it spawns is found by name in the imported modules."""

import sys

if __name__ == "__main__":
    try:
        from concmodels.pool.program import PoolCommand
        from concmodels.programs.command import as_program, command

        sys.exit(as_program(command(PoolCommand())))
    except KeyboardInterrupt:
        sys.exit(130)
