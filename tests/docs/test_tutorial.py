"""The programs of the tutorial: each runs to its end without a word on standard error, and these print just this."""

import re
import sys
from pathlib import Path

import interruptible
import pytest

from concmodels import catalog

FOLDER = Path(__file__).parents[2] / "examples" / "tutorial"
ANSWERS = ("0.6", "0.2", "0.4", "0.2", "0.4", "0.2")
PRINTED = {
    "one_channel": "sold rye\nsold wheat\nsold spelt\nsold oat\nclosed\n",
    "two_bakers": "sold 8 loaves\n",
    "full_shelf": "on the shelf: rye\non the shelf: wheat\nwaited 0.1 seconds, and there was still no room for spelt\n",
    "forgotten_close": (
        "sold rye\n"
        "all tasks are waiting, and none can continue:\n"
        "  main: receive on channel 'shelf' at forgotten_close.py:11\n"
    ),
    "ring": "came round: 100\ncame round: 1100\ncame round: 2100\n",
    "pool": "".join(f"after …: an answer that took {seconds} s\n" for seconds in ANSWERS),
    "pool_progress": f"asking {'━' * 40} 100% …\n2.0 s of waiting\n",
    "plain": "1 squared is 1\n2 squared is 4\n3 squared is 9\n",
    "awaited": "1 squared is 1\n2 squared is 4\n3 squared is 9\n",
    "taking_turns": "count_in_one_go: a1 a2 a3 b1 b2 b3\ncount_and_let_others: a1 b1 a2 b2 a3 b3\n",
    "waiting_for_two": "wash\ndry\nfold\ngo home\n",
    "told_to_stop": "sold: loaf 0\non the shelf when the baker stopped: 2\n",
    "chat": "b'welcome'\n" * 3 + "b'hello, everybody' b'hello, everybody'\n",
    "echo": "b'hello'\nb'and again'\n",
    "echo_awaited": "b'hello'\nb'and again'\n",
    "slow_client": "one_by_one: no answer in half a second\na_task_each: hello\n",
    "failing": "clumsy: I divide by zero\npatient: I tidy up\nmain: the group is over: division by zero\n",
    "stubborn": "asyncio\n  cancelled, but I sleep on\n  slept well\ntrio\n  cancelled, but I sleep on\n",
}
"""A time that was measured stands here as `…`."""
NEEDS = {"gil": "subinterp"}
"""The model that a program can't do without, if not every interpreter has it."""
OWN_TEST = ("lost_count",) if sys._is_gil_enabled() else ()
"""What runs to its end in a test of its own."""


@pytest.mark.parametrize(
    "file", [it for it in sorted(FOLDER.glob("*.py")) if it.stem not in OWN_TEST], ids=lambda file: file.stem
)
def test_it_runs_to_its_end(file):
    if (model := NEEDS.get(file.stem)) and (why := catalog.why_not(model)):
        pytest.skip(f"{model} can't run here: {why}")
    command = [sys.executable, file.name]
    done = interruptible.run(command, cwd=FOLDER, timeout=50)
    assert (done.returncode, done.stderr) == (0, "")
    said = re.sub(r"(?<=^after )[\d.]+ s|\d:\d\d:\d\d", "…", done.stdout, flags=re.MULTILINE)
    assert said
    assert said == PRINTED.get(file.stem, said)


def test_there_is_a_program_for_every_text():
    assert PRINTED.keys() <= {file.stem for file in FOLDER.glob("*.py")}


@pytest.mark.skipif(not sys._is_gil_enabled(), reason="without the GIL, both lose updates")
def test_only_a_call_between_read_and_write_loses_updates():
    done = interruptible.run([sys.executable, "lost_count.py"], cwd=FOLDER, timeout=50)
    assert (done.returncode, done.stderr) == (0, "")
    found = re.findall(r"([\d,]+) of 4,000,000", done.stdout)
    plain, with_a_call = (int(number.replace(",", "")) for number in found)
    assert plain == 4_000_000 > with_a_call
