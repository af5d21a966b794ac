"""Which model fits a function of the reader's own: `python -m concmodels.which FILE:FUNCTION`.

The function is called in processes of their own, one for each way. They take turns, and end when the time is over.

`function.py` finds the function, and what stands in the way of calling it elsewhere. `ways.py` are the ways to call
it, each on the standard library alone, and `child.py` the process in which one of them does so. `trials.py` gives these
processes their turns, and keeps to the time and the memory; `measured.py` has what came out. `advice.py` judges that,
without measuring anything; `code.py` and `report.py` say what it means for a program.
"""
