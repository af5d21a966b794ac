"""The command `python -m concmodels.check`, which `python -m concmodels check` is, too."""

import sys

from concmodels.check.command import check_command

if __name__ == "__main__":
    sys.exit(check_command())
