"""Results of several machines in one page: what is compared with what, and what is not."""

import json
from pathlib import Path

import pytest
from test_report import MACHINE, MS, NS, result_file, results, ring, row, told

from benchmarks.report import machines
from benchmarks.report.machines import Measured
from benchmarks.result import Results, read

OTHER = {"machine": MACHINE | {"cpus": 16, "cpu_model": "A <larger> CPU"}}
MINE = [
    ring("stream", "threads", 100 * NS, 200 * NS),
    ring("stream", "trio", 250 * NS, 400 * NS),
    ring("stream", "queue.Queue", 600 * NS, 700 * NS, kind="peer", model="threads"),
    ring("stream", "baseline trio", 50 * NS, kind="baseline", model="trio"),
]
THEIRS = [ring("stream", "threads", 50 * NS, 50 * NS), ring("stream", "trio", 25 * NS, 25 * NS)]
THEIRS_FREE = [ring("stream", "threads", 80 * NS, 80 * NS, python="3.14t", gil=False)]


def every(*of_each: Results) -> list[Measured]:
    return machines.measured((f"{number}.json", it) for number, it in enumerate(of_each, 1))


def labels(*of_each: Results) -> list[str]:
    return [it.label for it in every(*of_each)]


def test_a_machine_is_told_by_what_it_is_and_not_by_the_c_library_of_a_python():
    here = results(machine=MACHINE | {"platform": "Linux-6-x86_64-with-glibc2.36"})
    again = results(machine=MACHINE | {"platform": "Linux-6-x86_64-with-glibc2.43", "load_avg": [9, 9, 9]})
    assert labels(here, results(**OTHER), again) == ["A1", "A2", "B"]
    assert labels(results(), Results([], [], {})) == ["A", "B"]


def test_each_result_has_a_column_for_each_python_and_ratios_within_it():
    sheet = machines.cell_sheet(every(results(*MINE), results(*THEIRS, *THEIRS_FREE, **OTHER)), "ring", "stream")
    assert sheet.head == [
        "", "A, 3.14", "times as fast as threads", "B, 3.14", "times as fast as threads", "B, 3.14t",
        "times as fast as threads",
    ]  # fmt: skip
    assert sheet.lines == [
        ["threads", "150 ns", "1", "50 ns", "1", "80 ns", "1"],
        ["trio", "325 ns", "1/2.2", "25 ns", "2", "", ""],  # (2.5 + 2) / 2, round by round
    ]


def test_what_only_one_result_has_is_left_out():
    both = every(results(*MINE, *THEIRS_FREE), results(THEIRS[1], row("pool/io/trio", 1.0)))
    assert machines.shared_cells(both) == [("ring", "stream")]
    assert [line[0] for line in machines.cell_sheet(both, "ring", "stream").lines] == ["trio"]
    assert machines.cell_sheet(both, "pool", "io") is None


def test_other_sizes_are_not_compared():
    smaller = ring("stream", "trio", 1 * NS, nodes=10)
    sheet = machines.cell_sheet(every(results(*MINE), results(THEIRS[0], smaller, **OTHER)), "ring", "stream")
    assert sheet.lines[1][3:] == ["other sizes", ""]


def pool(name: str, seconds: float, speedup: float):
    return row(f"pool/cpu/{name}", seconds, step="task", workers=2, figures={"speedup": speedup})


def test_a_pool_is_held_against_the_loop_of_its_own_run():
    mine, theirs = (
        results(pool("processes", 5 * MS, 1.9)),
        results(pool("processes", 1 * MS, 15.2), pool("trio", 1, 1), **OTHER),
    )
    sheet = machines.cell_sheet(every(mine, theirs), "pool", "cpu")
    assert sheet.head[2] == "times as fast as a loop"
    assert sheet.lines == [["processes", "5 ms", "1.9", "1 ms", "15.2"]]


def test_it_says_which_models_lead_where():
    both = every(results(*MINE), results(*THEIRS, **OTHER))
    assert machines.lead(both, "ring", "stream") == "Ahead: threads in A, 3.14; trio in B, 3.14."
    assert machines.lead(every(results(*MINE), results(*MINE)), "ring", "stream") == "Ahead in every column: threads."


def test_the_machines_have_a_table():
    sheet = machines.about_sheet(every(results(*MINE), results(*THEIRS, **OTHER), Results([], [], {})))
    assert sheet.lines[0] == ["A", "1.json", "2 of A CPU", "8 GiB", "Linux", "3.14.8", "2026-01-01", "4"]
    assert sheet.lines[1][:3] == ["B", "2.json", "16 of A <larger> CPU"]
    assert sheet.lines[2][2:] == ["not known", "not known", "not known", "", "not known", "0"]


def test_a_page_has_the_machines_and_a_table_for_each_shared_cell():
    text = machines.page(every(results(*MINE), results(*THEIRS, quick=True, **OTHER)))
    assert '<section id="ring-stream"><h2>ring/stream</h2><p>Time per hop. Ahead: threads in A, 3.14' in text
    assert "A &lt;larger&gt; CPU" in text and "B (2.json): This is a quick run" in text
    assert not [it for it in ("<script", "<link", "<img", "url(") if it in text]


COMMITTED = sorted((Path(__file__).parents[2] / "benchmarks" / "results").glob("*.json"))


def test_the_committed_results_name_no_machine():
    """A result says what a machine is, not what it is called."""
    known = {"platform", "cpus", "cpu_model", "memory_bytes", "load_avg", "concmodels", "pyperf"}
    known |= {"commit", "changed_files"}
    for path in COMMITTED:
        data = json.loads(path.read_text())
        assert set(data["concmodels"]["machine"]) <= known, path.name
        assert '"hostname"' not in path.read_text(), path.name


def test_every_cell_of_the_committed_results_has_a_sheet():
    both = machines.measured((path.name, read(path)) for path in COMMITTED)
    for cell in machines.shared_cells(both):
        sheet = machines.cell_sheet(both, *cell)
        assert sheet and all(len(line) == len(sheet.head) for line in sheet.lines)


@pytest.fixture
def two(tmp_path: Path) -> list[Path]:
    """Two results on disk, one of them of another machine."""
    one = result_file(tmp_path)
    data = json.loads(one.read_text())
    data["concmodels"]["machine"] = OTHER["machine"]
    (tmp_path / "other.json").write_text(json.dumps(data))
    return [one, tmp_path / "other.json"]


def test_the_command_writes_one_page_of_several_results(two, tmp_path, monkeypatch, capsys):
    assert told(monkeypatch, *two, "--output", tmp_path / "out") == 0
    written = {str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.*")}
    assert written == {"index.html", "tables/machines.md", "tables/machines-ring-stream.md"}
    assert sorted(capsys.readouterr().out.split()) == sorted(str(tmp_path / "out" / name) for name in written)
    assert "| threads | 100 ns | 1 | 100 ns | 1 |" in (tmp_path / "out/tables/machines-ring-stream.md").read_text()


def test_results_without_anything_in_common_are_refused(two, tmp_path, monkeypatch, capsys):
    data = json.loads(two[1].read_text())
    data["benchmarks"] = []
    two[1].write_text(json.dumps(data))
    assert told(monkeypatch, *two, "--output", tmp_path / "out") == 2
    assert "no candidate in common" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
