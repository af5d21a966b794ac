"""`map(..., progress="label")`: a bar on a terminal, nothing anywhere else, and nothing left of it at the end."""

import contextlib
import os
import pty
import sys

import pytest
from stuck import model_of

PROGRAM = """
import sys, time
from concmodels import load

model, how = load(sys.argv[1]), sys.argv[2]

async def work(n):
    await model.sleep(0.01)
    if how == "error" and n == 15: raise LookupError
    if how == "interrupt" and n == 15: raise KeyboardInterrupt
    return n

async def main():
    async with model.Pool(2) as pool:
        items = range(40) if how != "unknown" else iter(range(40))
        seen = 0
        async for _ in pool.map(work, (n for n in items) if how == "unknown" else items, progress="counting"):
            seen += 1
            if how == "break" and seen == 15: break
        print("seen", seen)

try: model.run(main)
except (LookupError, KeyboardInterrupt) as error: print(type(error).__name__)
print("rich" in sys.modules)
"""


def run(model, how, stderr):
    """Run the program; what it printed."""
    import subprocess

    text = PROGRAM
    if model.partition(":")[0] in ("threads", "gevent"):
        text = text.replace("async ", "").replace("await ", "")
    command = [sys.executable, "-c", text, model, how]
    env = os.environ | {"TERM": "xterm", "COLUMNS": "80"}
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, text=True, env=env, timeout=50, check=True)
    return out.stdout.split("\n")


def on_terminal(model, how):
    """Run the program with a terminal as standard error; what it printed, and what the terminal was sent."""
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        try:
            out = run(model, how, theirs)
        finally:
            os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # Linux says so at the end
            while data := terminal.read(65536):
                shown += data
    return out, shown.decode()


ENDS = {
    "end": "seen 40",
    "break": "seen 15",
    "error": "LookupError",
    "interrupt": "KeyboardInterrupt",
    "unknown": "seen 40",
}


@pytest.mark.parametrize("name", ["threads", "gevent", "asyncio", "trio"])
@pytest.mark.parametrize("how", ENDS)
def test_a_bar_on_a_terminal(name, how):
    model_of(name)
    out, shown = on_terminal(name, how)
    assert out[:2] == [ENDS[how], "True"]
    assert "counting" in shown and ("/40" in shown) == (how != "unknown")
    assert 2 <= shown.count("counting") < (40 if how in ("end", "unknown") else 15)  # ten a second, not each result
    assert shown.rstrip().endswith(("\x1b[2K", "\x1b[?25h")) and "\x1b[?25h" in shown, shown[-100:]


@pytest.mark.parametrize("name", ["threads", "asyncio"])
def test_nothing_elsewhere(name, tmp_path):
    model_of(name)
    with open(tmp_path / "stderr", "w+") as file:
        assert run(name, "end", file)[:2] == ["seen 40", "False"]
        file.seek(0)
        assert file.read() == ""
