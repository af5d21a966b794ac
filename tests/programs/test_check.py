"""`python -m concmodels check`: what it finds, what it says and writes; and the notice on a machine unlike ours."""

import json
import os
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from in_process import called

from concmodels import catalog
from concmodels.check import command, programs, tests
from concmodels.check.report import BROKEN, NOT_GUARANTEED, WORKED, Found, ModelReport
from concmodels.platform import tried


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The report is written into the current folder; and no notice was given before."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(tried.NOTICE, raising=False)
    return tmp_path


def checked(*arguments):
    return called("check", *arguments, module="concmodels")


@pytest.fixture
def finding(monkeypatch):
    """Let the tests of each model find what the test says, without running them."""

    def find(**found):
        def check(model, tell):
            report = ModelReport(model, found=list(found.get(model, (Found("ring", WORKED), Found("pool", WORKED)))))
            for _ in report.found:
                tell()
            return report

        monkeypatch.setattr(tests, "check", check)

    return find


@pytest.fixture
def elsewhere(monkeypatch):
    """A machine on which nobody has run the library."""
    monkeypatch.setattr(tried, "TRIED", {})
    monkeypatch.setattr(tried, "DOUBT", tried.doubt())


def test_a_model_that_works(folder):
    status, out, err = checked("asyncio")
    assert (status, err) == (0, "")
    assert "asyncio  13 kept     works  works  works" in out
    assert "The report is concmodels-check.json." in out
    (report,) = json.loads((folder / "concmodels-check.json").read_text())
    assert report["is_whole"]
    assert report["machine"]["processor"] == os.uname().machine
    assert report["machine"]["python"] == sys.version
    assert report["libraries"]["greenlet"]
    (model,) = report["models"]
    assert [it["test"] for it in model["found"]] == [*tests.GUARANTEES, *programs.PROGRAMS]
    assert {it["verdict"] for it in model["found"]} == {WORKED}


def test_what_is_broken_is_named_with_its_reason(finding, folder):
    finding(
        threads=[
            Found("closing.x", BROKEN, "it hangs", "Traceback"),
            Found("sockets.y", NOT_GUARANTEED),
            Found("ring", WORKED),
            Found("Ctrl-C", BROKEN, "crashed"),
        ]
    )
    status, out, _ = checked("threads", "trio")
    assert status == 1
    assert "threads  0 kept, 1 broken, 1 not guaranteed  works  fails  fails" in out
    assert "threads: closing.x: it hangs" in out
    assert "threads: Ctrl-C: crashed" in out
    assert "trio" in out
    (report,) = json.loads((folder / "concmodels-check.json").read_text())
    assert report["models"][0]["found"][0]["details"] == "Traceback"


def test_all_models_are_checked_and_those_that_can_not_run_say_why(finding, monkeypatch):
    finding()
    real = catalog.why_not
    monkeypatch.setattr(catalog, "why_not", lambda name: "not here" if name == "trio" else real(name))
    status, out, _ = checked()
    assert status == 0
    assert "trio can't run here: not here" in out
    assert {line.split()[0] for line in out.splitlines() if "works" in line} == {*catalog.names()} - {"trio"}


def test_a_model_that_was_named_and_can_not_run_is_an_error(monkeypatch):
    monkeypatch.setattr(catalog, "why_not", lambda _: "not here")
    assert checked("trio") == (2, "", "concmodels check: trio can't run here: not here\n")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["tiro"], "there is no model 'tiro': did you mean trio?"),
        (["--jsn"], "unrecognized arguments: --jsn"),
        (["--json", "no/such/folder"], "can't write 'no/such/folder': No such file or directory"),
    ],
)
def test_bad_input(arguments, error):
    status, out, err = checked(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"concmodels check: {error}")
    assert err.count("\n") == 1


def test_without_rich_it_says_so():
    status, _, err = called("check", module="concmodels", missing=["rich"])
    assert status == 2
    assert "pip install rich" in err


def test_the_report_on_standard_output_is_alone_there(finding, folder):
    finding()
    status, out, err = checked("threads", "--json", "-")
    assert status == 0
    assert json.loads(out)[0]["models"][0]["model"] == "threads"
    assert "works" in err
    assert not list(folder.iterdir())
    assert checked("threads", "--quiet", "--json", "-")[2] == ""


def test_ctrl_c_leaves_a_report_that_says_that_it_is_not_whole(monkeypatch, folder):
    def check(model, tell):
        if model == "trio":
            raise KeyboardInterrupt
        return ModelReport(model)

    monkeypatch.setattr(tests, "check", check)
    assert checked("threads", "trio") == (130, "", "concmodels check: interrupted\n")
    (report,) = json.loads((folder / command.FILE).read_text())
    assert not report["is_whole"]
    assert [it["model"] for it in report["models"]] == ["threads"]


# The programs, in their process.


def test_what_follows_a_program_that_ends_python_is_run_in_another_process(monkeypatch):
    answers = iter(
        [
            SimpleNamespace(stdout='["ring", null]\n', stderr="Fatal Python error: Aborted", returncode=-6),
            SimpleNamespace(stdout='["Ctrl-C", "the run goes on"]\n', stderr="words", returncode=0),
        ]
    )
    asked = []

    def run(command, **_):
        asked.append(command[command.index("concmodels.check.programs") + 1 :])
        return next(answers)

    monkeypatch.setattr(tests.subprocess, "run", run)
    found = list(tests.run_all("threads"))
    assert asked == [["threads", "ring", "pool", "Ctrl-C"], ["threads", "Ctrl-C"]]
    assert found == [
        Found("ring", WORKED),
        Found("pool", BROKEN, "Python ended with status -6", "Fatal Python error: Aborted"),
        Found("Ctrl-C", BROKEN, "the run goes on", "words"),
    ]


def test_a_program_that_hangs_is_ended_and_tells_what_it_did():
    program = """
import time
from concmodels.check import programs
programs.PROGRAMS["pool"] = lambda model: setattr(programs, "LIMIT_S", 0.1)
programs.PROGRAMS["ring"] = lambda model: time.sleep(3600)
programs.main("threads", ["pool", "ring"])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == '["pool", null]\n'
    assert "Timeout (" in done.stderr
    assert "in <lambda>" in done.stderr


def test_a_hang_is_told_from_a_crash(monkeypatch):
    def run(command, **_):
        return SimpleNamespace(stdout="", stderr="Timeout (0:00:20)!\nThread 0x1", returncode=1)

    monkeypatch.setattr(tests.subprocess, "run", run)
    (found,) = tests.run_programs("threads", ["ring", "pool"])
    assert found.reason == "it did not end within 20 seconds"

    def never_ends(command, **how):
        raise subprocess.TimeoutExpired(command, how["timeout"], b"", b"\xff")

    monkeypatch.setattr(tests.subprocess, "run", never_ends)
    (found,) = tests.run_programs("threads", ["ring"])
    assert (found.verdict, found.details) == (BROKEN, "\ufffd")


def test_an_interrupt_that_does_not_end_the_run_is_found(monkeypatch):
    runs = SimpleNamespace(run=lambda *_: None)
    monkeypatch.setattr(catalog, "load", lambda _: runs)
    assert programs.PROGRAMS["Ctrl-C"]("threads") == "the run did not end with KeyboardInterrupt"

    def late(*_):
        monkeypatch.setattr(time, "monotonic", lambda: float("inf"))
        raise KeyboardInterrupt

    runs.run = late
    assert "seconds after Ctrl-C" in programs.PROGRAMS["Ctrl-C"]("threads")


def test_a_program_that_fails_says_by_what(capfd, monkeypatch):
    monkeypatch.setattr(programs.faulthandler, "dump_traceback_later", lambda *_, **__: None)
    programs.main("no-such-model", ["ring"])
    out, err = capfd.readouterr()
    assert json.loads(out)[1].startswith("UnknownModel: ")
    assert "Traceback" in err


# The notice.


def test_here_nothing_is_said(capfd):
    catalog.load("threads")
    assert capfd.readouterr().err == ""
    assert tried.NOTICE not in os.environ


@pytest.mark.usefixtures("elsewhere")
def test_elsewhere_one_line_is_said_once(capfd):
    catalog.load("threads")
    catalog.load("trio")
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("concmodels: this library has never run on a machine like this one")
    assert "python -m concmodels check" in line
    assert os.environ[tried.NOTICE] == "off"  # for what the program starts


@pytest.mark.usefixtures("elsewhere")
def test_it_is_not_said_of_simulated_models(capfd):
    catalog.load("sim")
    assert capfd.readouterr().err == ""


@pytest.mark.usefixtures("elsewhere")
def test_json_comes_without_it():
    status, _, err = called(2, 10, "--json", "-", "--quiet")
    assert (status, err) == (0, "")
    status, _, err = called(2, 10, "--quiet")
    assert status == 0
    assert err.count("never run") == 1


@pytest.mark.usefixtures("elsewhere")
def test_the_check_says_it_below_its_table(finding):
    finding()
    _, out, err = checked("threads")
    assert err == ""
    assert "This library has never run on a machine like this one" in " ".join(out.split())


@pytest.mark.parametrize(
    ("system", "machine", "how"),
    [
        ("linux", "x86_64", tried.MEASURED),
        ("linux", "aarch64", tried.EMULATED),
        ("linux", "riscv64", tried.UNTRIED),
        ("darwin", "arm64", tried.SIMULATED),
        ("freebsd14", "amd64", tried.UNTRIED),
    ],
)
def test_how_a_machine_was_tried(monkeypatch, system, machine, how):
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine=machine))
    assert tried.how() == how


def test_another_c_library_is_another_system(monkeypatch):
    def unknown(_):
        raise ValueError

    monkeypatch.setattr(os, "confstr", unknown)
    assert (tried.system(), tried.how()) == ("Linux (musl)", tried.UNTRIED)


def test_windows_has_no_uname(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delattr(os, "uname")
    monkeypatch.setenv("PROCESSOR_ARCHITECTURE", "AMD64")
    assert (tried.system(), tried.machine(), tried.how()) == ("Windows", "AMD64", tried.SIMULATED)
