"""The command `python -m concmodels.course`."""

import sys

if __name__ == "__main__":
    try:
        from concmodels.course.command import course_command

        sys.exit(course_command())
    except KeyboardInterrupt:
        sys.exit(130)
