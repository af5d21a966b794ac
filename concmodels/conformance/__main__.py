"""The command `python -m concmodels.conformance MODEL ...`."""

import sys

from concmodels.conformance.grading.command import conformance_command

if __name__ == "__main__":
    sys.exit(conformance_command())
