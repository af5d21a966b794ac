"""A reader of the models' source for the traps of concurrency that can be seen in it; see `test_traps.py`."""
