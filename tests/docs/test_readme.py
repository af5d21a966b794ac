"""What the README shows is run as it stands there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import concmodels
from benchmarks import readme
from concmodels import names

README = (Path(__file__).parents[2] / "README.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
ASYNC = ("asyncio", "trio", "anyio", "anyio:trio")


def run_as_a_file(program, folder):
    """What the program prints when it is a file that is started."""
    file = folder / "program.py"
    file.write_text(program)
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=50, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("name", names(variants=True))
def test_the_course_programs_run_on_every_model_of_their_kind(name, tmp_path):
    plain, awaited = BLOCKS[:2]
    program = awaited.replace('"trio"', repr(name)) if name in ASYNC else plain.replace('"threads"', repr(name))
    assert repr(name) in program
    assert run_as_a_file(program, tmp_path) == "0\n1\n2\n"


def test_the_two_course_programs_differ_in_await_alone():
    plain, awaited = (block.split("if __name__")[0] for block in BLOCKS[:2])
    assert re.sub(r"\b(async|await) ", "", awaited) == plain


SYNC_ONES = [name for name in names(variants=True) if name not in ASYNC]


@pytest.mark.parametrize("name", SYNC_ONES)
def test_the_select_program_runs_on_every_plain_model(name, tmp_path):
    program = BLOCKS[2].replace('"processes"', repr(name))
    assert repr(name) in program
    assert run_as_a_file(program, tmp_path) == "0\n1\n2\nenough\n"


@pytest.mark.parametrize("name", SYNC_ONES)
def test_the_pool_program_runs_on_every_plain_model(name, tmp_path):
    program = BLOCKS[3].replace('"subinterp"', repr(name))
    assert repr(name) in program
    assert run_as_a_file(program, tmp_path) == "49500000 1024\n"


def test_without_the_word_to_stop_it_ends_in_the_deadlock_that_is_shown(tmp_path):
    program = BLOCKS[2].replace('"processes"', '"threads"').replace('        stop.send("enough")\n', "\n")
    file = tmp_path / "example.py"
    file.write_text(program)
    done = subprocess.run(
        [sys.executable, file.name], cwd=tmp_path, capture_output=True, text=True, timeout=50, check=False
    )
    shown = re.search(r"^```\n(concmodels\.errors\.Deadlock: .*?)^```$", README, re.MULTILINE | re.DOTALL)[1]
    assert done.stderr.endswith(shown) and done.stdout == "0\n1\n2\n"


def test_exploring_shows_what_is_shown(tmp_path):
    (tmp_path / "visitors.py").write_text(BLOCKS[4])
    command = [sys.executable, "-m", "concmodels.explore", "visitors.py"]
    environment = os.environ | {"PYTHONPATH": str(Path(concmodels.__file__).parents[1])}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=50, check=False
    )
    assert (done.returncode, done.stderr) == (1, "")
    shown = re.search(r"^```\n(visitors\.py: broken.*?)^```$", README, re.MULTILINE | re.DOTALL)[1]
    assert done.stdout.partition("--replay")[0] == shown.partition("--replay")[0]


def test_the_measurement_runs(tmp_path):
    line = re.search(r"`(from concmodels\.ring import ring; .*?)`", README)[1]
    small = line.replace("300", "3").replace("10_000", "10")
    assert float(run_as_a_file(small, tmp_path)) > 0


def test_every_model_is_in_the_table():
    for name in names(variants=True):
        model, _, variant = name.partition(":")
        assert re.search(rf"^\| `{model}.*{variant}", README, re.MULTILINE), name


def test_its_figures_are_those_of_the_results_files():
    assert readme.filled(README) == README
    for name in readme.TABLES:
        assert f"<!-- {name} -->\n| {'what' if name == 'free-threaded' else 'model'} |" in README
