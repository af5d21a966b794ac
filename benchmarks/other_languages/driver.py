"""Builds the programs of this folder and runs them."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
LANGUAGES = {"go": ("go",), "erlang": ("erlc", "erl")}
"""The languages, and the tools that each needs."""
USUAL_PLACES = ("/usr/local/go/bin", "/usr/lib/go/bin", "/usr/lib/erlang/bin", "/usr/local/lib/erlang/bin")
"""Where to look for tools that are not on the PATH."""


class Outcome(NamedTuple):
    """The result of a ring in another language."""

    language: str
    seconds: float
    version: str
    cpus: int


def why_not(language: str) -> str | None:
    """Return what is missing, in words, or None if this language can run here. Raises `ValueError`."""
    missing = [tool for tool in _tools(language) if find(tool) is None]
    return f"{' and '.join(missing)} not found on this machine" if missing else None


def find(tool: str) -> str | None:
    """Return the path of a tool, if there is one."""
    return shutil.which(tool) or shutil.which(tool, path=os.pathsep.join(USUAL_PLACES))


def build(language: str, folder: str | os.PathLike[str]) -> Path:
    """Build the ring in this folder, and return the program.

    Raises `ValueError` for an unknown language, `RuntimeError` where its toolchain is missing or fails.
    """
    if why := why_not(language):
        raise RuntimeError(f"the ring in {language} can't be built: {why}")
    tool, target = find(LANGUAGES[language][0]), Path(folder).absolute()
    if language == "go":
        _call([tool, "build", "-o", target / "ring", HERE / "ring.go"], GOTOOLCHAIN="local", GOFLAGS="")
        return target / "ring"
    _call([tool, "-o", target, HERE / "ring.erl"])
    return target / "ring.beam"


def stream(language: str, program: str | os.PathLike[str], nodes: int, messages: int, capacity: int = 0) -> Outcome:
    """Run the ring with all messages under way.

    Raises `ValueError` for a capacity in a language whose channels have none, `RuntimeError` if the program fails.
    """
    return _run(language, program, "stream", nodes, messages, capacity)


def token(language: str, program: str | os.PathLike[str], nodes: int, messages: int) -> Outcome:
    """Run the ring with one message under way. Raises `RuntimeError` if the program fails."""
    return _run(language, program, "token", nodes, messages, 0)


def _run(
    language: str, program: str | os.PathLike[str], kind: str, nodes: int, messages: int, capacity: int
) -> Outcome:
    _tools(language)
    if language == "go":
        sizes = {"kind": kind, "nodes": nodes, "messages": messages, "capacity": capacity}
        command: list[object] = [program, *(f"-{name}={value}" for name, value in sizes.items())]
    elif capacity:
        raise ValueError("a mailbox in Erlang has no capacity")
    else:
        folder = Path(program).parent
        command = [find("erl"), "-noshell", "-pa", folder, "-run", "ring", "main", kind, str(nodes), str(messages)]
    return Outcome(language, **json.loads(_call(command)))


def _tools(language: str) -> tuple[str, ...]:
    if language not in LANGUAGES:
        raise ValueError(f"there is no ring in {language!r}; there is one in {', '.join(LANGUAGES)}")
    return LANGUAGES[language]


def _call(command: list[object], **environment: str) -> str:
    """Run the program, and return what it prints."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=os.environ | environment)
    if done.returncode:
        said = " ".join(f"{done.stderr} {done.stdout}".split()) or "it said nothing"  # erlc complains on stdout
        raise RuntimeError(f"{Path(words[0]).name} failed with exit status {done.returncode}: {said}")
    return done.stdout
