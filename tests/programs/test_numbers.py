"""Numbers on the command line, of every option of every command: digits, as everybody writes them."""

import argparse
import json
from pathlib import Path
from unittest.mock import patch

import pytest
from in_process import called

from benchmarks.web import load
from concmodels import catalog
from concmodels.errors import UnknownModel
from concmodels.explore.errors import CannotExplore
from concmodels.explore.failures.replay_id import PYTHON, ReplayId
from concmodels.models.simulated.schedules import Schedule

COMMANDS = ("ring", "channel", "pool", "serve", "explore", "conformance")
NOT_SO = (
    "1_0", "+3", " 3", "3 ", "3\n", "\u0663", "\uff13", "1_0.5", "+0.5", " 0.5", "\u0663.5", "nan", "inf", "0x3",
    "1e+3", "",
)  # fmt: skip
"""What `int` or `float` would take, or nearly."""


class Found(Exception):
    """The parser of a command is about to read its arguments."""


def parser_of(module):
    """The parser of `python -m MODULE`."""
    with patch.object(argparse.ArgumentParser, "parse_known_args", autospec=True, side_effect=_found):
        try:
            called(module=module)
        except Found as found:
            return found.args[0]
    raise AssertionError(module)


def _found(parser, *_):
    raise Found(parser)


def numbers(parser):
    """The options and arguments of a command, and of its own commands, that are read as something else than text."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from numbers(inner)
        elif action.type not in (None, Path, json.loads):
            yield action


@pytest.fixture(scope="module")
def parsers():
    """All parsers, by the names of the commands."""
    ours = {name: parser_of(f"concmodels.{name}") for name in COMMANDS}
    return ours | {"benchmarks": parser_of("benchmarks"), "benchmarks.web.load": load.parser()}


@pytest.mark.parametrize("text", NOT_SO)
def test_what_is_no_number_is_refused(parsers, text):
    options = [(name, action) for name, parser in parsers.items() for action in numbers(parser)]
    assert {name for name, _ in options} == parsers.keys()
    taken = [(name, it.dest) for name, it in options if read(it, text) is not None]
    assert taken == ([(name, "capacity") for name in ("ring", "channel")] if text == "inf" else [])


def read(action, text):
    """The number that a text is; None if it is refused."""
    try:
        return action.type(text)
    except argparse.ArgumentTypeError:
        return None


@pytest.mark.parametrize(("text", "number"), [("2", 2), ("02", 2), ("0.5", 0.5), (".5", 0.5), ("2.", 2), ("5e-1", 0.5)])
def test_what_is_a_number_is_read(text, number):
    options = {action.dest: action for action in numbers(load.parser())}
    assert read(options["seconds"], text) == number
    assert read(options["connections"], text) == (number if text.isdigit() else None)


@pytest.mark.parametrize("share", ["0_1.5", "+0.5", " 0.5", "\u0660.5"])
def test_a_share_is_a_number(share, capsys):
    assert load.command(["127.0.0.1:80/", "--mix", share, "/a"]) == 2
    assert f"{share!r} is no share" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["1_0@2", "+6@2", "6@ 2", "\u0666@2", "6@2/\u0660\u0661", "6@2/+0.1"])
def test_a_schedule_has_digits(text):
    with pytest.raises(ValueError, match="is no schedule"):
        Schedule.parse(text)


@pytest.mark.parametrize("source", ["!pos\u0663", "!pct3.\u0664", "!random1_0", "!all\u0663.4"])
def test_a_replay_id_has_digits(source):
    with pytest.raises(CannotExplore):
        ReplayId.parse(f"{PYTHON}-5f0c9a-a-{source}", "5f0c9a")


def test_a_port_of_a_cluster_has_digits():
    with pytest.raises(UnknownModel, match="as in dask:tcp://127.0.0.1:8786"):
        catalog.facts("dask:tcp://127.0.0.1:\u0668\u0667")
