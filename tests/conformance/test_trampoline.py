"""The model of CONTRIBUTING's "Add a model": it is graded as any other, and short."""

import ast
import importlib.util
import json
import signal
from pathlib import Path

import pytest
from in_process import called

import concmodels
from concmodels.errors import Deadlock

ROOT = Path(concmodels.__file__).parent.parent
FILE = ROOT / "examples" / "trampoline_model.py"
MOST_LINES = 260
"""Of code: neither blank lines, nor comments and docstrings."""


@pytest.fixture(scope="module")
def trampoline():
    spec = importlib.util.spec_from_file_location("trampoline_model", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.timeout(300)
def test_the_model_keeps_every_guarantee_that_applies():
    status, out, _ = called(FILE, "--json", "-", module="concmodels.conformance")
    (report,) = json.loads(out)
    outcomes = report["outcomes"]
    assert status == 0
    assert [it["guarantee"] for it in outcomes if it["verdict"] == "broken"] == []
    left_out = [it for it in outcomes if it["verdict"] == "not guaranteed"]
    reasons = {it["reason"] for it in left_out if "only guaranteed by" not in it["reason"]}
    assert reasons == {"trampoline_model.py has no share of its own"}  # it is the one that all these models have
    assert report["kept"] > 240


def test_the_model_is_short():
    text = FILE.read_text()
    docstrings = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                docstrings.update(range(first.lineno, first.end_lineno + 1))
    numbered = enumerate(text.splitlines(), 1)
    code = [line for number, line in numbered if line.strip(" #") and number not in docstrings]
    assert len([line for line in code if not line.lstrip().startswith("#")]) <= MOST_LINES


@pytest.mark.parametrize("verb", ["send", "receive", "__anext__", "_wait_for_partner"])
def test_a_verb_is_that_of_the_async_models(verb):
    assert _body(FILE, verb) == _body(ROOT / "concmodels" / "models" / "asyncio_.py", verb)


def test_a_deadlock_says_what_each_task_waits_for(trampoline):
    async def main():
        channel = trampoline.Channel(name="never")
        async with trampoline.TaskGroup() as group:
            group.spawn(channel.receive, name="receiver")

    with pytest.raises(Deadlock) as caught:
        trampoline.run(main)
    assert [line.partition(" at ")[0] for line in caught.value.waits] == [
        "main: waits for the end of its group",
        "receiver: receive on channel 'never'",
    ]


def test_ctrl_c_ends_the_run(trampoline):
    ended = []

    async def wait(channel):
        try:
            await channel.receive()
        finally:
            ended.append("task")

    async def main():
        async with trampoline.TaskGroup() as group:
            group.spawn(wait, trampoline.Channel())
            await trampoline.sleep(0)
            signal.raise_signal(signal.SIGINT)
            await trampoline.sleep(float("inf"))

    with pytest.raises(KeyboardInterrupt):
        trampoline.run(main)
    assert ended == ["task"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _body(path, verb):
    """The statements of a verb of this file's `Channel`, without its docstring."""
    (channel,) = [it for it in ast.parse(path.read_text()).body if getattr(it, "name", "") == "Channel"]
    (function,) = [it for it in channel.body if getattr(it, "name", "") == verb]
    return [ast.unparse(it) for it in function.body[1 if ast.get_docstring(function) else 0 :]]
