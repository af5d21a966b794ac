"""The command `python -m concmodels.trace FILE`."""

import sys

if __name__ == "__main__":
    try:
        from concmodels.trace.command import trace_command

        sys.exit(trace_command())
    except KeyboardInterrupt:
        sys.exit(130)
