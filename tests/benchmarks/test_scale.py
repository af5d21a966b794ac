"""More processors: which numbers of workers are measured, what the report makes of them, and what the file tells."""

import json
from math import inf
from pathlib import Path

import pytest
from test_report import ABOUT, LOOKS, MACHINE, MS, result_file, results, row

from benchmarks import session, suites
from benchmarks.__main__ import chosen, command, parser
from benchmarks.record import Record
from benchmarks.report import Chart, absent, charts, scale
from benchmarks.result import LeftOut, Results, Row
from benchmarks.session import Session, Turn
from benchmarks.suites.scale import MOST, numbers

LARGE = {"machine": MACHINE | {"cpus": 16, "cpu_model": "A larger CPU"}}


def grown(cell: str, model: str, *seconds: float, **more: object) -> list[Row]:
    """Rows with 1 worker, with 2, with 4 ..."""
    places = [(2**place, took) for place, took in enumerate(seconds)]
    return [
        row(f"scale/{cell}/{model} x {workers}", took, model=model, workers=workers, step="task", **more)
        for workers, took in places
    ]


SMALL = results(*grown("pool", "processes", 10 * MS, 5.5 * MS, 5.5 * MS), *grown("pool", "threads", 9 * MS, 9 * MS))
MANY = results(*grown("pool", "processes", 10 * MS, 5 * MS, 2.5 * MS, 2 * MS, 1.6 * MS), **LARGE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of committed results that has none yet."""
    monkeypatch.setattr(scale, "FOLDER", tmp_path)
    return tmp_path


def named(name: str, found: Results) -> Chart:
    return next(it for it in charts(found) if it.name == name)


@pytest.mark.parametrize("processors", [*range(1, 70), 96, 128, 192, 384])
def test_few_numbers_of_workers_lead_up_to_the_processors(processors):
    found = numbers(processors)
    assert found[:2] == [1, 2] and found[-1] == max(4, processors)
    assert sorted(set(found)) == found and 3 <= len(found) <= MOST


def test_each_number_does_the_same_work():
    found = suites.load("scale")
    assert {it.steps for it in found if it.cell == "pool"} == {240}
    assert all(it.steps == it.sizes["nodes"] * it.sizes["messages"] for it in found if it.cell == "ring")
    assert all(290_000 < it.steps <= 300_000 for it in found if it.cell == "ring")


def test_no_round_begins_that_would_take_too_long(monkeypatch):
    options = parser().parse_args(["run", "scale/pool", "--model", "threads"])
    it = Session(options, chosen(options), "")
    taken: list[Turn] = []
    monkeypatch.setattr(it, "_take", taken.append)
    monkeypatch.setattr(it.record, "seconds", lambda: 40.0 * taken[-1].number if taken else 0.0)
    it.run(lambda turn: None)
    assert {turn.number for turn in taken} == {1, 2} and it.record.about["finished"]
    taken.clear()
    it.candidates = [one for one in suites.load("ring", quick=True) if one.path == "ring/token/threads"]
    it.run(lambda turn: None)
    assert {turn.number for turn in taken} == set(range(1, session.ROUNDS + 1))


def test_a_result_tells_neither_the_folder_nor_the_name_of_its_user(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/home/alice")
    record = Record(tmp_path / "it.json", command=command(["run", "scale", "--json", "/home/alice/my-machine.json"]))
    record.left_out.append(LeftOut("", "", "", "/home/alice/bin/python", False, "/home/alice/bin/python can't be run"))
    record.finish(True)
    text = (tmp_path / "it.json").read_text()
    assert "alice" not in text and "my-machine.json" in text and "~/bin/python can't be run" in text


def test_json_names_the_file_or_not():
    def output(*line: str) -> str:
        return str(parser().parse_args(["run", "scale", *line]).output)

    assert [output("--json"), output("--json", "a.json"), output()] == ["mine.json", "a.json", "None"]


def test_a_gain_is_taken_round_by_round_and_shown_for_each_model(folder):
    it = named("scale-pool", SMALL)
    assert it.sheet.head == ["machine", "model", "1 worker", "2 workers", "4 workers"]
    assert it.sheet.lines[0] == [
        "A: 2 processors", "processes", "1 (1 to 1)", "1.82 (1.82 to 1.82)", "1.82 (1.82 to 1.82)",
    ]  # fmt: skip
    assert it.sheet.lines[1] == ["A: 2 processors", "threads", "1 (1 to 1)", "1 (1 to 1)", ""]
    assert it.takeaway == "At best, 2 workers do 1.8 times as many tasks that compute a second as one, in processes"
    assert it.command.startswith("python -m benchmarks run scale/pool")


def test_the_law_is_computed_from_the_share_that_gained_nothing(folder):
    assert scale.share_of(2, 2) == 0 and scale.share_of(1, 2) == 1 and scale.share_of(3, 2) == 0
    assert scale.amdahl(0.1, 10) == pytest.approx(1 / 0.19) and scale.amdahl(0, inf) == inf
    it = named("scale-amdahl", SMALL)
    assert it.takeaway.startswith("Computed: with 64 processors, processes would be at most 8.8 times")
    assert it.note.startswith("Computed, not measured") and it.title.startswith("Computed") and "computed" in it.svg()
    processes, threads = it.sheet.lines
    assert processes[2] == "10.0% (10.0% to 10.0%)" and processes[-1] == "10" and threads[-1] == "1"


def test_the_share_is_that_of_as_many_workers_as_processors(folder):
    (more,) = named("scale-amdahl", MANY).sheet.lines
    assert more[2] == "10.4% (10.4% to 10.4%)"  # 16 of them gained 6.25
    (fewer,) = named("scale-amdahl", results(*MANY.rows)).sheet.lines
    assert fewer[2] == "0.0% (0.0% to 0.0%)" and fewer[-1] == "no limit"  # of two processors, 2 gained 2


def test_nothing_is_computed_from_rounds_that_lie_far_apart(folder):
    apart = row("scale/pool/processes x 2", 5 * MS, 9 * MS, model="processes", workers=2)
    unsure = [*grown("pool", "processes", 10 * MS), apart]
    assert not [it for it in charts(results(*unsure)) if it.name == "scale-amdahl"]
    assert any("too far apart" in it.why for it in absent(results(*unsure)))
    both = results(*unsure, *grown("pool", "threads", 9 * MS, 9 * MS))
    assert named("scale-amdahl", both).sheet.lines[0][3:] == [""] * 7


def test_a_committed_result_of_another_machine_is_drawn_beside(folder, monkeypatch):
    (folder / "theirs.json").write_text('{"suite": "scale"}')
    (folder / "other.json").write_text('{"suite": "ring"}')
    monkeypatch.setattr(scale, "read", lambda path: MANY if path.name == "theirs.json" else pytest.fail(path.name))
    it = named("scale-pool", SMALL)
    assert [line[0] for line in it.sheet.lines] == ["A: 2 processors", "A: 2 processors", "B: 16 processors"]
    for look in LOOKS:
        figure = it.draw(look)
        assert len(figure.axes) == 2
    assert "B: 16 processors" in it.svg()
    monkeypatch.setattr(scale, "read", lambda path: SMALL)  # this machine's own, of another day
    assert len(named("scale-pool", SMALL).sheet.lines) == 2


def test_another_python_has_lines_of_its_own(folder):
    free = grown("pool", "threads", 9 * MS, 4.5 * MS, python="3.14t", gil=False)
    lines = named("scale-pool", results(*SMALL.rows, *free)).sheet.lines
    assert [line[1] for line in lines] == ["processes", "threads", "threads, 3.14t"]


def test_a_preliminary_result_says_so_in_the_picture(folder):
    found = Results(SMALL.rows, [], ABOUT | {"preliminary": True})
    assert "A: 2 processors, preliminary" in named("scale-pool", found).svg()


def test_a_file_of_the_suite_is_known_by_its_text(folder):
    result_file(folder)
    assert scale.committed() == []
    data = json.loads((folder / "new.json").read_text())
    data["metadata"] |= {"suite": "scale"}
    (folder / "scale.json").write_text(json.dumps(data))
    assert [path.name for path in scale.committed()] == ["scale.json"]
