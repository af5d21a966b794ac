"""The programs that are run while the site is built: which run side by side, which alone, and which are run again."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import preloaded
import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs" / "_ext"))
pytest.importorskip("sphinx")

from concdocs import runs  # noqa: E402 - found only now
from concdocs.places import Mistake  # noqa: E402 - as above

MEETING = """
import pathlib, sys, time
folder, name, other = pathlib.Path(sys.argv[1]), *sys.argv[2:]
(folder / name).touch()
while not (folder / other).exists():
    time.sleep(0.01)
print(time.monotonic())
"""
ENDLESS = """
import os, pathlib, sys, time
pathlib.Path(sys.argv[1]).write_text(f"{os.getpid()} ")
time.sleep(50)
"""


@pytest.fixture(autouse=True)
def nothing_running(monkeypatch, tmp_path):
    monkeypatch.setattr(runs, "CACHE", tmp_path / "outputs")
    monkeypatch.setattr(runs, "_results", {})
    monkeypatch.setattr(runs, "_alone", {})
    yield
    if runs._pool.cache_info().currsize:
        pool = runs._pool()
        runs._pool.cache_clear()
        pool.close()
        pool.join()


def program(folder, text, *arguments, **how):
    file = folder / f"program{len(list(folder.iterdir()))}.py"
    file.write_text(text)
    return runs.Program(f"python {file} {' '.join(map(str, arguments))}", **how)


def test_programs_run_side_by_side_and_what_measures_after_them(tmp_path):
    folder = tmp_path / "met"
    folder.mkdir()
    alone = program(tmp_path, "import time; print(time.monotonic())")
    meeting = [program(tmp_path, MEETING, folder, *names, seconds=20) for names in ("ab", "ba")]
    runs.start(alone, alone=True)
    for it in meeting:
        runs.start(it)
    runs.wait_for_all()
    assert float(runs.printed(alone)) > max(float(runs.printed(it)) for it in meeting)


def test_a_program_runs_once_until_it_changes(tmp_path, monkeypatch):
    log = tmp_path / "log"
    text = "import pathlib, sys; print('ran', file=pathlib.Path(sys.argv[1][5:]).open('a'))"
    written = program(tmp_path, text, f"--to={log}")
    for _ in range(2):
        assert runs.printed(written) == ""
        monkeypatch.setattr(runs, "_results", {})
    assert log.read_text() == "ran\n"
    (tmp_path / "program0.py").write_text(f"{text}\n")
    runs.printed(written)
    assert log.read_text() == "ran\nran\n"


def test_a_program_runs_again_when_a_file_that_it_imports_has_changed(tmp_path, monkeypatch):
    beside = tmp_path / "beside.py"
    for text in ("print(1)", "print(2)"):
        monkeypatch.setattr(runs, "_results", {})
        beside.write_text(text)
        (tmp_path / "program.py").write_text("import sys\nsys.dont_write_bytecode = True\nimport beside")
        assert runs.printed(runs.Program(f"python {tmp_path / 'program.py'}")) == text[-2]


def test_what_is_kept_says_whether_anything_was_on_standard_error(tmp_path):
    silent = program(tmp_path, "print('said')")
    complaint = "import sys; print('before', flush=True); print('no', file=sys.stderr); print('after')"
    complains = program(tmp_path, complaint)
    fails = program(tmp_path, "raise SystemExit('no')", status=1)
    assert runs.earlier_run(silent.command) is None
    for it in (silent, complains, fails):
        runs.printed(it)
    assert runs.earlier_run(silent.command) == runs.Run("said", 0, complained=False)
    assert runs.earlier_run(complains.command) == runs.Run("before\nno\nafter", 0, complained=True)
    assert runs.earlier_run(fails.command) == runs.Run("no", 1, complained=True)


def test_what_ended_otherwise_than_wanted_is_tried_again(tmp_path, monkeypatch):
    file = tmp_path / "there"
    written = program(tmp_path, "import pathlib, sys; print(pathlib.Path(sys.argv[1]).read_text())", file)
    with pytest.raises(Mistake, match=r"ended with status 1 instead of 0:\n(?s:.*)FileNotFoundError"):
        runs.printed(written)
    monkeypatch.setattr(runs, "_results", {})
    file.write_text("now")
    assert runs.printed(written) == "now"


def test_an_interrupted_build_ends_its_programs(tmp_path):
    started = tmp_path / "started"
    page = f"# Page\n\n```{{output-of}}\n:command: {program(tmp_path, ENDLESS, started).command}\n```\n"
    (tmp_path / "index.md").write_text(page)
    build = preloaded.Popen(
        [sys.executable, "-m", "sphinx", "-q", "-c", str(ROOT / "docs"), str(tmp_path), str(tmp_path / "html")],
        imports=preloaded.SPHINX, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        pid = int(_content(started))
        build.send_signal(signal.SIGINT)
        assert "Interrupted" in build.communicate(timeout=50)[1]
        assert build.returncode != 0
        _wait_until_gone(pid)
    finally:
        build.kill()


def _content(file):
    """What a program writes there, once it has written all of it."""
    while not (file.exists() and file.read_text().endswith(" ")):
        time.sleep(0.01)
    return file.read_text()


def _wait_until_gone(pid):
    with pytest.raises(ProcessLookupError):
        while True:
            os.kill(pid, 0)
            time.sleep(0.01)
