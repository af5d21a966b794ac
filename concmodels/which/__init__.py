"""Which model fits a function of the reader's own: `python -m concmodels.which FILE:FUNCTION`.

The function is called in processes of their own, which this one starts, and ends when the time is over:

    the command  ---- rounds of a quarter of a second, in turn ---->  a plain loop, threads, processes, interpreters ...
         '<------------- calls, seconds, processor time -------------'

`function.py` finds the function, and what stands in the way of calling it elsewhere. `ways.py` are the ways to call
it, each on the standard library alone, and `child.py` the process in which one of them does so. `trials.py` starts
these processes, gives them their rounds, and keeps to the time and the memory; `measured.py` has what came out.
`advice.py` judges that, without measuring anything; `code.py` and `report.py` say what it means for a program.
"""
