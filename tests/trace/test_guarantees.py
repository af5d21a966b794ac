"""A traced model keeps its guarantees: what a trace adds changes nothing that a program can rely on."""

import pytest
from kinds import KINDS
from matrix import is_for, model

from concmodels import catalog, trace
from concmodels.conformance.suite import NotGuaranteed, guarantees

CHAPTERS = (
    "delivery", "closing", "selecting", "timeouts", "cancellation", "same_turn", "tasks", "failures", "travelling",
    "pooling", "pooling_map", "pooling_async", "pooling_failures", "runs",
)  # fmt: skip
USUAL = {("greenlet", "closing")}
"""What is tried by default; the rest takes minutes."""


@pytest.mark.parametrize(
    ("name", "chapter"),
    [
        pytest.param(name, chapter, marks=[] if (name, chapter) in USUAL else [pytest.mark.thorough])
        for name in KINDS
        for chapter in CHAPTERS
    ],
)
@pytest.mark.usefixtures("quiet_corner")
def test_a_traced_model_keeps_its_guarantees(tmp_path, subtests, name, chapter):
    with trace.to(tmp_path / "trace.json"):
        traced = model(name, thorough=False)
        for guarantee in guarantees():
            if guarantee.chapter != chapter or not guarantee.by(catalog.facts(name)):
                continue
            if is_for(name, guarantee, thorough=False):
                with subtests.test(str(guarantee)):
                    try:
                        traced.hold(guarantee)
                    except NotGuaranteed:
                        continue
