"""The command `python -m concmodels.explore FILE[:FUNCTION]`."""

import sys

if __name__ == "__main__":
    try:
        from concmodels.explore.command import explore_command

        sys.exit(explore_command())
    except KeyboardInterrupt:
        sys.exit(130)
