"""`python -m concmodels.channel`: the command line; what it spawns is found by name in the imported modules."""

import sys

if __name__ == "__main__":
    try:
        from concmodels.channel.program import ChannelCommand
        from concmodels.programs.command import as_program, command

        sys.exit(as_program(command(ChannelCommand())))
    except KeyboardInterrupt:
        sys.exit(130)
