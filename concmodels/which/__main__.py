"""The command `python -m concmodels.which FILE:FUNCTION`."""

import sys

if __name__ == "__main__":
    try:
        from concmodels.which.command import which_command

        sys.exit(which_command())
    except KeyboardInterrupt:
        sys.exit(130)
