"""Without `--thorough` models are graded in forks of a process that has imported the guarantees."""

import preloaded
import pytest

from concmodels.conformance.grading import runner
from concmodels.conformance.guarantees import CHAPTERS

IMPORTS = (
    *("concmodels.conformance.grading.worker", "concmodels.conformance.grading.simulated_verdict"),
    *(f"concmodels.conformance.guarantees.{chapter}" for chapter in CHAPTERS),
    *("concmodels.explore.preemption.monitoring", "concmodels.explore.threads.program"),
    *("concmodels.models.simulated.sim", "concmodels.models.threads"),
)


@pytest.fixture(autouse=True)
def graded_in_forks(thorough, monkeypatch):
    if not thorough:
        monkeypatch.setattr(runner, "subprocess", preloaded.in_forks(IMPORTS))


@pytest.fixture
def unexplained(thorough, monkeypatch):
    """Without `--thorough`, say that a guarantee is broken and why, but not on which schedule that is seen best."""
    if not thorough:
        monkeypatch.setattr(runner, "subprocess", preloaded.in_forks((*IMPORTS, "conformance.unexplained")))
