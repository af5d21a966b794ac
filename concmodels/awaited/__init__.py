"""Texts for async models, from which `concmodels.sync` makes those for sync models: see `concmodels.two_forms`."""

from concmodels.models import tools

tools.append(f"{__name__}.")  # a deadlock's report names the line that asked an actor, not the line of ours
