"""The classics: they come to their result on every model, notice a wrong one, and are one program, sync and async."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
import test_architecture
from kinds import is_usual, is_variant

from benchmarks import classics
from benchmarks.classics._start import line_up
from concmodels import catalog

FOLDER = Path(classics.__file__).parent
FILES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")
each = pytest.mark.parametrize("classic", classics.CLASSICS)


def is_left_out(params):
    """Whether this classic is tried on this model only with `--thorough`; so is each on a variant."""
    place = classics.CLASSICS.index(params["classic"])
    usual = is_usual(params["model"], place, len(classics.CLASSICS), fully=("threads", "processes", "asyncio"))
    return is_variant(params) or not usual


@pytest.mark.thorough(when=is_left_out)
@each
def test_a_classic_comes_to_its_result(classic, model, nothing_left_behind):
    size = classics.load(classic).SIZES["tiny"]
    assert classics.run(classic, model.name, size) > 0


@each
def test_a_classic_is_described(classic):
    module = classics.load(classic)
    assert set(module.SIZES) == {"light", "threads", "boundary", "tiny"}
    assert module.SIZE and module.STEP
    for size in module.SIZES.values():
        assert module.tasks(size) >= 3
        assert module.steps(size) >= size > 0


@pytest.mark.parametrize("file", FILES)
def test_the_sync_and_the_async_text_of_a_classic_are_one_program(file):
    functions = test_architecture._functions(FOLDER / f"{file}.py")
    both = {name: it for name, it in functions.items() if name.startswith("async_")}
    assert both
    for name, function in both.items():
        plain = functions[name.removeprefix("async_")]
        assert ast.dump(test_architecture._bleached(function)) == ast.dump(test_architecture._bleached(plain)), name


def test_what_children_import_is_light():
    program = (
        f"import sys, {', '.join(f'benchmarks.classics.{name}' for name in classics.CLASSICS)}; print(*sys.modules)"
    )
    command, root = [sys.executable, "-S", "-c", program], str(FOLDER.parent.parent)
    out = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONPATH": root})
    assert not test_architecture.HEAVY & set(out.stdout.split())


def two_more(inbox, outbox):
    for number in inbox:
        outbox.send(number + 2)
    outbox.close()


def first_leaf_again(model, outbox, number, leaves):
    outbox.send(0)


def a_loner(number, mall, partner, go, reports):
    line_up(go, reports)
    for _ in range(5):
        mall.send(0)
    reports.send(1)


def one_is_eaten(first, stop, outbox, go, reports):
    line_up(go, reports)
    for number in range(first, stop - 4, 4):
        outbox.send(number)
    outbox.send(None)


def one_fork_only(meals, one, other, go, done):
    line_up(go, done)
    for _ in range(meals):
        one.send(one.receive() + 1)
    done.send(None)


def any_number(prime, inbox, outbox):
    for number in inbox:
        outbox.send(number)


def off_by_one(number):
    return number + 1


def the_latest(inbox, go, reports):
    line_up(go, reports)
    reports.send(max(inbox))


def nobody(number, inboxes, go, reports):
    line_up(go, reports)
    reports.send((number, []))


@pytest.mark.parametrize(
    ("classic", "part", "broken"),
    [
        ("commstime", "successor", two_more),
        ("skynet", "grow", first_leaf_again),
        ("chameneos", "creature", a_loner),
        ("buffer", "produce", one_is_eaten),
        ("philosophers", "dine", one_fork_only),
        ("sieve", "sift", any_number),
        ("fjcreate", "leaf", off_by_one),
        ("fjthroughput", "work", the_latest),
        ("big", "member", nobody),
    ],
    ids=lambda it: it if isinstance(it, str) else "",
)
def test_a_wrong_result_is_noticed(classic, part, broken, monkeypatch):
    module = classics.load(classic)
    monkeypatch.setattr(module, part, broken)
    with pytest.raises((classics.Wrong, ExceptionGroup)) as caught:
        classics.run(classic, "threads", module.SIZES["tiny"])
    error = caught.value
    assert isinstance(error, classics.Wrong) or error.subgroup(classics.Wrong)


def test_sizes_that_are_too_small():
    with pytest.raises(ValueError, match="the size of sieve counts primes; it must be at least 1, not 0"):
        classics.run("sieve", "threads", 0)
    with pytest.raises(ValueError, match="the size of big counts tasks; it must be at least 2, not 1"):
        classics.run("big", "threads", 1)


def test_there_is_no_classic_of_that_name():
    with pytest.raises(ValueError, match="no classic 'fifteen'; there are commstime, skynet, "):
        classics.load("fifteen")


def test_the_kinds_of_models():
    assert {classics.kind(name) for name in catalog.names()} == {"light", "threads", "boundary"}
    assert [classics.kind(name) for name in ("asyncio", "rawthreads", "processes:fork")] == [
        "light",
        "threads",
        "boundary",
    ]
