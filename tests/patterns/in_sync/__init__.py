"""The programs of this folder without `await`, for the sync models."""

import os
import sys

from concmodels.two_forms import Finder

sys.meta_path.insert(0, Finder(__name__, os.path.dirname(os.path.dirname(__file__))))
