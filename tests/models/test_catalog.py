"""The catalog: names, facts, availability, and what it says when it has to refuse."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest
from commands import skip_unless_here
from platforms import linux_files

import concmodels
from concmodels import catalog, models, typed
from concmodels.errors import ModelUnavailable, UnknownModel
from concmodels.facts import FAMILIES

MODELS = concmodels.names()
VARIANTS = [name for name in concmodels.names(variants=True) if ":" in name]


def test_names():
    assert MODELS[:3] == ["threads", "rawthreads", "processes"]
    assert {"rawthreads:polling", "processes:spawn", "processes:fork", "anyio:trio"} == {*VARIANTS}
    assert sorted(MODELS + VARIANTS) == sorted(concmodels.names(variants=True))


def test_each_model_with_a_file_is_named():
    files = {path.stem for path in Path(models.__path__[0]).glob("*.py")} - {"__init__", "sharing"}
    assert files == {catalog.facts(name).file for name in catalog.names(distributed=True)}


def test_the_models_of_each_family_are_all_models():
    assert [it for family in FAMILIES for it in catalog.names(family=family, distributed=True)] == [*MODELS, "dask"]
    assert {"asyncio", "anyio:trio"} < {*catalog.names(family="coroutines", variants=True)} < {*MODELS, *VARIANTS}


@pytest.mark.parametrize(
    ("name", "base", "variant"),
    [
        ("trio", "trio", None),
        ("processes", "processes", "forkserver"),
        ("processes:forkserver", "processes", "forkserver"),
        ("processes:spawn", "processes", "spawn"),
        ("anyio", "anyio", "asyncio"),
    ],
)
def test_facts_of_models_and_variants(name, base, variant):
    facts = catalog.facts(name)
    assert (facts.model, facts.variant) == (base, variant)


def test_a_default_variant_goes_by_its_model():
    assert catalog.name_of(catalog.facts("processes:forkserver")) == "processes"
    assert catalog.load("threads") is catalog.load("threads")


@pytest.mark.parametrize("name", MODELS + VARIANTS)
def test_facts_are_complete(name):
    facts = catalog.facts(name)
    assert isinstance(facts.is_async, bool)
    assert facts.memory > 0
    assert facts.hop > 0
    assert facts.descriptors >= 0
    for text in (facts.unit, facts.scheduler, facts.message, facts.parallel, facts.cancellation, facts.cost):
        assert text


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("tread", "did you mean threads? There are threads,"),
        ("Trio", "did you mean trio?"),
        ("gevnt", "did you mean gevent?"),
        ("processes:spwan", "it has spawn,"),
        ("proceses:spwan", "did you mean processes:spawn?"),
        ("trio:fast", "the model trio has no variants"),
        ("", "there is no model ''. There are"),
        ("nothing", "there is no model 'nothing'. There are"),
    ],
)
def test_unknown_names_list_the_nearest_first(name, nearest):
    with pytest.raises(UnknownModel) as caught:
        catalog.load(name)
    assert nearest in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "line"),
    [("trio", "pip install trio"), ("anyio:trio", "pip install trio"), ("tasklets", "pip install greenlet")],
)
def test_a_missing_library_comes_with_its_install_line(monkeypatch, name, line):
    library = line.rpartition(" ")[2]
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda it, *more: None if it == library else find(it, *more))
    assert line in catalog.why_not(name)


def test_what_goes_beyond_one_machine_is_loaded_by_name_only():
    assert "dask" not in catalog.names(variants=True)
    assert catalog.names(distributed=True) == [*MODELS, "dask"]
    assert catalog.is_distributed(catalog.facts("dask"))
    assert not catalog.is_distributed(catalog.facts("processes:spawn"))
    assert catalog.names(beyond=True) == catalog.names(distributed=True)  # the older name
    assert catalog.facts("dask").is_async is False


def test_an_address_is_a_variant():
    name = "dask:tcp://127.0.0.1:8786"
    facts = catalog.facts(name)
    assert (facts.model, facts.variant, catalog.name_of(facts)) == ("dask", "tcp://127.0.0.1:8786", name)
    assert catalog.facts("dask:tls://[::1]:8786").variant == "tls://[::1]:8786"


@pytest.mark.parametrize("address", ["", "fast", "tcp://", "tcp://host", "tcp://:1", "tcp://host:0", "host:8786"])
def test_a_bad_address_comes_with_a_good_one(address):
    with pytest.raises(UnknownModel, match="as in dask:tcp://127.0.0.1:8786"):
        catalog.facts(f"dask:{address}")


def test_dask_is_an_extra(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda it, *more: None if it == "distributed" else find(it, *more))
    monkeypatch.setitem(sys.modules, "concmodels.models.dask_", None)  # its import fails
    for name in ("dask", "dask:tcp://127.0.0.1:8786"):
        with pytest.raises(ModelUnavailable, match=r"pip install 'concmodels\[dask\]'$"):
            catalog.load(name)


def test_load_refuses_what_is_missing(monkeypatch):
    monkeypatch.setattr(catalog, "_refusal", lambda _: "it is Sunday")
    with pytest.raises(ModelUnavailable, match="trio can't run here: it is Sunday"):
        concmodels.load("trio")


def test_without_the_gil(monkeypatch):
    monkeypatch.setattr(catalog.sys, "_is_gil_enabled", lambda: False)
    assert "GIL on again" in catalog.why_not("gevent")
    assert catalog.why_not("subinterp") == catalog.why_not("processes")
    assert catalog.why_not("threads") is None


@linux_files
def test_elsewhere_than_linux(monkeypatch):
    monkeypatch.delattr(catalog.os, "memfd_create", raising=False)
    assert "memfd" in catalog.why_not("subinterp")
    assert catalog.why_not("asyncio") is None


def test_in_a_browser_only_simulated_models_run(monkeypatch):
    """No thread can be started there; and greenlet, which is there by another name, is no scheduler of its own."""
    monkeypatch.setattr(sys, "platform", "emscripten")
    assert all("in a browser only the simulated models run" in catalog.why_not(name) for name in MODELS)
    assert catalog.why_not("sim") is catalog.why_not("sim:async") is None
    with pytest.raises(ModelUnavailable, match="sim and sim:async"):
        catalog.load("threads")


def test_the_types_of_load_know_every_name():
    names = {*catalog.names(variants=True, simulated=True, distributed=True)}
    names |= {f"{it.model}:{it.variant}" for it in map(catalog.facts, names) if it.variant}
    for literal, is_async in ((typed.SyncName, False), (typed.AsyncName, True)):
        assert {*get_args(literal.__value__)} == {it for it in names if catalog.facts(it).is_async is is_async}


@pytest.mark.parametrize("name", [*catalog.names(simulated=True), "sim:async", "processes:spawn"])
def test_dir_and_help_show_the_vocabulary(name):
    skip_unless_here(name)
    model = concmodels.load(name)
    assert dir(model) == sorted([*catalog._NAMES, "Pool"])
    assert all(hasattr(model, it) for it in dir(model))
    if isinstance(model, ModuleType):
        told = model.__doc__.split("\n\n")
        assert told[1].startswith("The vocabulary") and set(re.findall(r"\w+", told[2])) >= set(dir(model))
        assert concmodels.load(name).__doc__ == "\n\n".join(told)  # it is there once


def test_types_can_be_imported_from_the_package():
    for module, names in concmodels._TYPES.items():
        for name in names:
            assert getattr(concmodels, name) is getattr(sys.modules[module], name)
    with pytest.raises(AttributeError, match="no attribute 'Channels'"):
        concmodels.Channels  # noqa: B018
