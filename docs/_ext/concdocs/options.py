"""`command`: the options of a command, from the parser that it really has."""

import argparse
import contextlib
import io
import runpy
import signal
import sys
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from unittest import mock

from docutils import nodes
from sphinx.application import Sphinx

from concdocs.places import Directive, Mistake


class Found(BaseException):
    """Carries a parser out of the command that made it."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        super().__init__()
        self.parser = parser


class Command(Directive):
    """The argument is a module that is run as `python -m MODULE`, or an example's file."""

    required_arguments = 1

    def build(self) -> list[nodes.Node]:
        name = self.arguments[0]
        parser = parser_of(name)
        if not name.endswith(".py"):
            origin = getattr(find_spec(name), "origin", None)
            self.depends_on(*([Path(origin)] if origin else []))
        return [nodes.container("", *self.markdown(text(parser, _program(name))), classes=["command-options"])]


def _program(name: str) -> str:
    return f"python {name}" if name.endswith(".py") else f"python -m {name}"


def parser_of(name: str) -> argparse.ArgumentParser:
    """Start the command and stop it where it is about to read its arguments. Raises `Mistake` if it never does."""

    def caught(parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        raise Found(parser)

    with (
        warnings.catch_warnings(action="ignore", category=RuntimeWarning),  # of a module that was imported before
        mock.patch.object(argparse.ArgumentParser, "parse_known_args", caught),
        mock.patch.object(sys, "argv", [name]),
        mock.patch.object(signal, "signal"),  # what a command does with signals is not for this process
        contextlib.redirect_stdout(io.StringIO()),
    ):
        try:
            _start(name)
        except Found as found:
            return found.parser
        except ImportError as error:
            raise Mistake(f"there is no command {name}: {error}") from None
    raise Mistake(f"{name} reads no arguments with argparse")


def _start(name: str) -> None:
    if name.endswith(".py"):
        runpy.run_path(name, run_name="__main__")
    else:
        runpy.run_module(name, run_name="__main__", alter_sys=True)


def text(parser: argparse.ArgumentParser, program: str) -> str:
    """The parser in Markdown, then those of its sub-commands."""
    parts = [_fenced_usage(parser, program)]
    if parser.description:
        parts.append(_clean(parser.description))
    entries = [entry for action in parser._actions if (entry := _entry(action))]
    parts.append("\n\n".join(entries))
    parts += [text(sub, f"{program} {name}") for name, sub in _subparsers(parser)]
    if parser.epilog:
        parts.append(_clean(parser.epilog))
    return "\n\n".join(parts)


def _fenced_usage(parser: argparse.ArgumentParser, program: str) -> str:
    formatter = argparse.HelpFormatter(prog=program, width=78, color=False)  # type: ignore[call-arg]
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups, prefix="")
    return f"```text\n{formatter.format_help().strip()}\n```"


def _clean(told: str) -> str:
    """Text for a terminal as Markdown: its indented lines are commands, the rest is a paragraph."""
    return "\n".join(line if line.startswith("    ") else line.replace("<", r"\<").replace("*", r"\*") for line in
                     told.strip().splitlines())  # fmt: skip


def _entry(action: argparse.Action) -> str | None:
    """One argument or option, and what it does."""
    if action.help == argparse.SUPPRESS or isinstance(action, argparse._SubParsersAction):
        return None
    value = action.metavar or (action.dest.upper() if action.option_strings and action.nargs != 0 else action.dest)
    value = " ".join(value) if isinstance(value, tuple) else value
    shown = f" {value}" if action.option_strings and action.nargs != 0 else ""
    names = ", ".join(f"`{name}{shown}`" for name in action.option_strings) or f"`{value}`"
    told = (action.help or "") % {"default": action.default, "prog": "", "metavar": value, "choices": action.choices}
    choices = f" One of {', '.join(f'`{it}`' for it in action.choices)}." if action.choices else ""
    return f"{names}\n: {_clean(told) or 'no description'}{choices}"


def _subparsers(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()


def setup(app: Sphinx) -> None:
    app.add_directive("command", Command)
