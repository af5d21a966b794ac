"""A check of the library on the user's own machine: `python -m concmodels check`.

tests.py      what is tested, and how: guarantees, and programs in a process of their own
programs.py   that process: a ring, a pool and Ctrl-C
report.py     what came of it, and what the machine is
terminal.py   the progress and the table
command.py    the command line
"""
