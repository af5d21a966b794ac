"""How the suite grades a model: see `concmodels.conformance`. Its own frames are no part of the program."""

from concmodels.models import tools

tools.append(__name__)
