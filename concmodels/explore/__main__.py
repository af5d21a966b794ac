"""The command `python -m concmodels.explore FILE[:FUNCTION]`."""

import sys

from concmodels import catalog

if __name__ == "__main__":
    try:
        if why := catalog.why_not("sim"):
            sys.stderr.write(f"concmodels.explore: the simulated model can't run here: {why}\n")
            sys.exit(2)
        from concmodels.explore.command import explore_command

        sys.exit(explore_command())
    except KeyboardInterrupt:
        sys.exit(130)
