"""`python -m benchmarks merge`: several results of one machine as one, and what can't be one."""

import json
from pathlib import Path
from typing import Any

import pytest
from test_benchmarks import command, run_of

from benchmarks.merging import merge
from benchmarks.record import Record
from benchmarks.result import LeftOut, read
from concmodels.programs.output.streams import BadInput

MACHINE = {"cpu_model": "A CPU", "cpus": 2, "memory_bytes": 8 << 30, "platform": "Linux-6.1-x86_64-with-glibc2.36"}
BUILD = {"version": "3.14.8", "gil_disabled": False, "compiler": "GCC", "configure": [], "optimisation": "-O3"}
PYTHON = {"version": "3.14.8", "gil": True}


def written(file: Path, *paths: str, left_out: tuple[LeftOut, ...] = (), **about: Any) -> Path:
    """Write a result with these candidates, in two rounds each."""
    known = {"command": f"run {file.stem}", "date": "2026-01-01", "quick": False, "wanted": len(paths)}
    known |= {"machine": MACHINE, "pythons": {"3.14": PYTHON}, "seconds": 60.0}
    record = Record(file, **known | about)
    for path in paths:
        for number in (1, 2):
            record.add(run_of(path, number, number / 10, figure_setup_s=0.5))
    record.left_out += left_out
    record.about["finished"] = about.get("finished", True)
    record.write()
    return file


def test_results_of_two_suites_become_one(tmp_path: Path):
    one = written(tmp_path / "one.json", "ring/stream/threads", "ring/token/trio", date="2026-01-02")
    two = written(tmp_path / "two.json", "web/json/threads", pythons={"3.14": PYTHON | {"build": BUILD}})
    merge([one, two], tmp_path / "all.json")
    every = read(tmp_path / "all.json")
    assert every.rows == [*read(one).rows, *read(two).rows]
    assert every.rows[2].seconds == {1: 0.1, 2: 0.2} and every.rows[2].figure("setup_s") == 0.5
    about = every.about
    assert (about["command"], about["date"], about["seconds"]) == ("run one && run two", "2026-01-02", 120)
    assert about["wanted"] == 3 and about["finished"] and not about["quick"]
    assert about["pythons"] == {"3.14": PYTHON | {"build": BUILD}} and about["machine"] == MACHINE


def test_a_result_is_merged_into_its_own_file_and_always_the_same(tmp_path: Path):
    one, two = (written(tmp_path / f"{suite}.json", f"{suite}/a/threads") for suite in ("ring", "web"))
    before = one.read_bytes()
    ended = command("merge", str(one), str(two), "--output", str(tmp_path / "all.json"))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("2 measured under Python 3.14")
    assert one.read_bytes() == before
    assert command("merge", str(one), str(two), "--output", str(one)).returncode == 0
    assert one.read_bytes() == (tmp_path / "all.json").read_bytes()


def test_what_one_left_out_and_another_has_is_there(tmp_path: Path):
    missing = LeftOut("ring", "stream", "trio", "3.14", False, "not installed")
    failed = LeftOut("web", "json", "trio", "3.14", True, "it broke")
    one = written(tmp_path / "one.json", "ring/stream/threads", left_out=(missing, failed))
    two = written(tmp_path / "two.json", "web/json/trio", left_out=(missing,))
    assert merge([one, two], tmp_path / "all.json").left_out == [missing]


def test_a_part_that_was_not_finished_or_quick_is_said_of_all(tmp_path: Path):
    one = written(tmp_path / "one.json", "ring/stream/threads", quick=True)
    two = written(tmp_path / "two.json", "web/json/threads", finished=False, preliminary=True)
    about = merge([one, two], tmp_path / "all.json").about
    assert about["quick"] and not about["finished"] and about["preliminary"]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "machine": ({"machine": MACHINE | {"cpus": 4}}, "two.json is of another machine than .*: cpus is 4 there, not 2"),
    "kernel": ({"machine": MACHINE | {"platform": "Linux-6.2-x86_64"}}, "platform is Linux-6.2-x86_64 there"),
    "Python": ({"pythons": {"3.14": PYTHON | {"version": "3.14.7"}}}, "on two different Pythons called 3.14"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_can_not_stand_beside_each_other_is_refused(tmp_path: Path, why: str):
    about, says = REFUSED[why]
    one = written(tmp_path / "one.json", "ring/stream/threads")
    two = written(tmp_path / "two.json", "web/json/threads", **about)
    with pytest.raises(BadInput, match=says):
        merge([one, two], tmp_path / "all.json")
    assert not (tmp_path / "all.json").exists()


def test_a_c_library_is_not_the_machine(tmp_path: Path):
    one = written(tmp_path / "one.json", "ring/stream/threads")
    platform = MACHINE["platform"].replace("2.36", "2.43")
    two = written(tmp_path / "two.json", "web/json/threads", machine=MACHINE | {"platform": platform})
    assert len(merge([one, two], tmp_path / "all.json").rows) == 2


def test_two_builds_of_one_version_are_two_pythons(tmp_path: Path):
    builds = ({"build": BUILD}, {"build": BUILD | {"optimisation": "-O2"}})
    one, two = (
        written(tmp_path / f"{suite}.json", f"{suite}/a/threads", pythons={"3.14": PYTHON | build})
        for suite, build in zip(("ring", "web"), builds, strict=True)
    )
    with pytest.raises(BadInput, match="two different Pythons called 3.14"):
        merge([one, two], tmp_path / "all.json")


@pytest.mark.parametrize(
    ("second", "says"),
    [
        (("web/json/threads", "ring/stream/threads"), "both have ring/stream/threads@3.14: leave one of the two"),
        (("ring/stream/threads", "ring/stream/trio"), "both have ring/stream/threads@3.14 and 1 more: leave one"),
    ],
)
def test_a_row_that_two_have_is_one_sentence(tmp_path: Path, second: tuple[str, ...], says: str):
    one = written(tmp_path / "one.json", "ring/stream/threads", "ring/stream/trio")
    two = written(tmp_path / "two.json", *second)
    ended = command("merge", str(one), str(two), "--output", str(tmp_path / "all.json"))
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith("python -m benchmarks merge: ") and says in line
    assert not (tmp_path / "all.json").exists()


def test_there_must_be_two_that_are_results(tmp_path: Path):
    one = written(tmp_path / "one.json", "ring/stream/threads")
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"benchmarks": []}))
    for files, says in (([one], "at least two results"), ([one, other], "other.json is not a result of")):
        ended = command("merge", *map(str, files), "--output", str(tmp_path / "all.json"))
        assert ended.returncode == 2 and says in ended.stderr and ended.stderr.count("\n") == 1
