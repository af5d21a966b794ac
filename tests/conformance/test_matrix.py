"""Which guarantees `make test` holds on which models."""

import kinds
import matrix

from concmodels import catalog
from concmodels.conformance.guarantees import CHAPTERS

VARIANTS = set(catalog.names(variants=True)) - set(catalog.names())


def chapters(*, thorough):
    found = {}
    for name, guarantee in matrix.pairs(thorough=thorough):
        found.setdefault(name, set()).add(guarantee.chapter)
    return found


def test_every_model_is_held_to_everything():
    usual, all_chapters = chapters(thorough=False), chapters(thorough=True)
    assert [name for name in catalog.names() if usual[name] != all_chapters[name]] == []


def test_a_variant_is_held_to_what_it_differs_in():
    usual, all_chapters = chapters(thorough=False), chapters(thorough=True)
    for name in VARIANTS:
        differs_in = set(catalog.facts(name).differs_in)
        assert differs_in <= set(CHAPTERS), name
        assert usual[name] == all_chapters[name] & (differs_in or all_chapters[name]), name


def test_the_chapters_have_each_guarantee_once():
    usual = [(name, str(it)) for name, it in matrix.pairs(thorough=False)]
    assert [(name, str(it)) for name, chapter in matrix.chapters() for it in chapter.guarantees] == usual


def test_every_model_is_held_to_every_guarantee():
    usual, whole = ({(name, it.full_name) for name, it in matrix.pairs(thorough=how)} for how in (False, True))
    assert {(name, guarantee) for name, guarantee in whole - usual if name in catalog.names()} == set()


def test_every_guarantee_is_held_with_all_its_values_on_each_kind_of_model():
    usual, whole = ({(kind(name), str(it)) for name, it in matrix.pairs(thorough=how)} for how in (False, True))
    assert usual == whole


def kind(name):
    """As in `kinds`; the two models with memory boundaries are one kind here."""
    found = kinds.kind(name)
    return "boundary" if found in matrix.SHARED_OUT else found


def test_a_light_model_has_fewer_rounds():
    assert matrix.model("threads", thorough=False).effort.rounds == matrix.FEW_ROUNDS
    assert matrix.model("threads", thorough=True).effort.rounds > matrix.FEW_ROUNDS
