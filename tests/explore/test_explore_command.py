"""`python -m concmodels.explore`: statuses, output, JSON, replay, and `--play`."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import until
from undisturbed import undisturbed

import concmodels
from concmodels.explore.command import explore_command

ROOT = Path(concmodels.__file__).parent.parent
BROKEN = str(ROOT / "examples" / "races" / "lost_update_broken.py")
FIXED = str(ROOT / "examples" / "races" / "lost_update_fixed.py")


@pytest.fixture
def command(capsys):
    """Run the command; return its status, and what it has written."""

    def run(*arguments):
        status = explore_command(list(arguments))
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Write a program into a file, and return its name."""
    monkeypatch.chdir(tmp_path)

    def write(text, name="program.py"):
        (tmp_path / name).write_text(text)
        return name

    return write


def test_what_holds_is_told_in_one_line(command):
    status, out, err = command(FIXED)
    assert (status, err) == (0, "")
    assert out.startswith((os.path.relpath(FIXED), FIXED))
    assert out.endswith(": held in all 2 schedules\n")


def test_what_breaks_is_told_with_its_lines_and_can_be_replayed(command):
    status, out, _ = command(BROKEN)
    assert status == 1
    assert "lost_update_broken.py:14  visitors += 1" in out and "data race: visitors" in out
    replay_id = out.split("--replay ")[1].strip()
    status, again, _ = command(BROKEN, "--replay", replay_id)
    assert status == 1
    assert again.split("\n\n")[1] == out.split("\n\n")[1]


def test_quiet_says_the_verdict_and_the_replay(command):
    _, out, _ = command(BROKEN, "--quiet")
    assert out.count("\n") == 2


def test_the_json_has_it_all(command, tmp_path):
    path = tmp_path / "report.json"
    status, _, _ = command(BROKEN, "--json", str(path))
    (report,) = json.loads(path.read_text())
    assert status == 1 and report["verdict"] == "broken"
    failure = report["failure"]
    assert failure["kind"] == "AssertionError" and failure["forced_switches"] == 1 and failure["steps"]
    assert {"task", "what", "file", "line", "forced"} == failure["steps"][0].keys()
    assert {it["identity"] for it in failure["rows"]} == {"0", "1", "2"}
    assert [it["source"] for it in failure["rows"] if it["forced"]] == ["visitors += 1"]


def test_json_on_standard_output_has_it_for_itself(command):
    status, out, err = command(FIXED, "--json", "-")
    assert status == 0 and "held in all 2" in err
    assert json.loads(out)[0]["in_all"] == 2


def test_the_function_can_be_named(command, file):
    name = file("def right(): pass\ndef wrong(): assert False\n")
    assert command(f"{name}:right")[0] == 0
    assert command(f"{name}:wrong")[0] == 1


def test_a_function_with_a_parameter_gets_the_model(command, file):
    name = file("def main(model):\n    model.Channel().receive()\n")
    status, out, _ = command(name)
    assert status == 1 and "main: receive on a channel without a name" in out and "program.py:2" in out


def test_so_does_a_coroutine_function(command, file):
    name = file("async def main(model):\n    await model.Channel().receive()\n")
    status, out, _ = command(name)
    assert status == 1 and "Deadlock" in out


WRONG = {
    "nowhere.py": "nowhere.py can't be read: No such file or directory",
    f"{FIXED}:nothing": "has no function nothing",
    f"{FIXED} --replay something": "'something' is no replay id",
    f"{FIXED} --replay 3.9-123456-a-1@2": "was made by Python 3.9",
    f"{FIXED} --replay {sys.version_info[0]}.{sys.version_info[1]}-123456-a-1@2": "of another version of the program",
    f"{FIXED} --schedules 0": "schedules must be a whole number of at least 1, not 0",
    f"{FIXED} --seconds 0": "a number of seconds above 0 is needed",
    f"{FIXED} --search fast": "invalid choice: 'fast'",
    f"{FIXED} --play --replay {sys.version_info[0]}.{sys.version_info[1]}-123456-a-1@2": "give one of the two",
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.items(), ids=range(len(WRONG)))
def test_bad_input_is_one_sentence_and_status_2(command, arguments, message):
    status, out, err = command(*arguments.split())
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("concmodels.explore: ") and message in err


def test_the_first_schedule_is_run_however_little_time_there_is(command):
    assert command(FIXED, "--seconds", "1e-9")[1].endswith("held so far, in 1 schedule\n")


def test_a_program_that_cant_be_imported_has_no_picture(command, file):
    status, out, _ = command(file("import nowhere\ndef main(): pass\n"))
    assert status == 1 and "No module named 'nowhere', raised at program.py:1" in out and "What happened" not in out


REFUSED = {
    "def main(: pass\n": "program.py can't be compiled: invalid syntax (line 1)\n",
    "import socket\ndef main(): socket.socket()\n": "uses socket.socket at program.py:2, which waits for",
    "def main(): input()\n": "calls input()",
    "import os\nimport threading\n"
    "def main():\n    if os.urandom(1)[0] % 2: threading.Lock().acquire()\n"
    "    return os.urandom(4)\n": "does not repeat itself",
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items(), ids=range(len(REFUSED)))
def test_what_cannot_be_explored_is_one_sentence_too(command, file, text, message):
    status, out, err = command(file(text))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_a_program_that_computes_for_ever_ends_with_its_stack(command, file):
    name = file("def main():\n    compute()\n\ndef compute():\n    while True:\n        pass\n")
    begin = undisturbed()
    status, out, err = command(name, "--seconds", "1")
    assert (status, out) == (2, "") and undisturbed() - begin < 20
    assert "still computing" in err and "in compute: " in err and "program.py:2 in main: compute()" in err


def test_ctrl_c_ends_it_with_130(file, tmp_path):
    begun = tmp_path / "begun"
    name = file(f"import threading\ndef main():\n    open({str(begun)!r}, 'w').close()\n"
                "    locks = [threading.Lock() for _ in range(9)]\n"
                "    def use(lock):\n        for _ in range(9):\n            with lock: pass\n"
                "    threads = [threading.Thread(target=use, args=(locks[0],)) for lock in locks]\n"
                "    for it in threads: it.start()\n    for it in threads: it.join()\n")  # fmt: skip
    arguments = [sys.executable, "-u", "-m", "concmodels.explore", name, "--seconds", "50"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(arguments, env=environment, stderr=subprocess.PIPE, text=True, process_group=0)
    assert until(lambda: begun.exists() or None)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=40)
    assert (process.returncode, err) == (130, "concmodels.explore: interrupted\n")


@pytest.mark.parametrize(
    ("answers", "status", "shown"),
    [
        (["2"] * 20, 0, "can still fail"),
        (["2"] * 20, 0, "the program has ended, and nothing went wrong"),
        (["q"], 0, "you are the scheduler"),
        (["x", "q"], 0, "a number: this task goes on"),
        (["1", "u", "?", "q"], 0, "can still fail: AssertionError: two came, 1 counted"),
    ],
)
def test_the_reader_can_be_the_scheduler(capsys, monkeypatch, answers, status, shown):
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join([*answers, ""])))
    assert explore_command([BROKEN, "--play"]) == status
    assert shown in capsys.readouterr().out


def test_a_reader_who_loses_the_update_has_broken_it(capsys, monkeypatch, file):
    """main goes on until it waits, then the second thread reads, the first one counts, the second one writes."""
    answers = iter(["1", "1", "1", "1", "1", "1", "2", "2", "1", "1", "1", "1", "1", "q"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers, "q"))
    explore_command([BROKEN, "--play"])
    assert "the program has" in capsys.readouterr().out
