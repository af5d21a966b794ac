"""The texts of `concmodels.awaited` as sync code: see `concmodels.two_forms`."""

import os
import sys

from concmodels import awaited
from concmodels.models import tools
from concmodels.two_forms import Finder

tools.append(f"{__name__}.")
sys.meta_path.insert(0, Finder(__name__, os.path.dirname(awaited.__file__)))
