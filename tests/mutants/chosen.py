"""Spoils the model that the environment names, in the process or interpreter that imports this module.

The process that holds the mutant imports it, and so do its children: see `held.py`.
"""

import os

VARIABLE = "CONCMODELS_MUTANT"


def _spoil(name):
    from concmodels import catalog
    from mutants import named

    mutant = named(name)
    mutant.spoil(catalog.load(mutant.model))


if os.environ.get(VARIABLE):
    _spoil(os.environ[VARIABLE])
