"""Each program on each model leaves a trace by the rules, in which every message has an arrow."""

import pytest
import rules
from in_process import called
from kinds import EACH, in_turn, one_of_each_kind, paired

from concmodels import catalog, trace
from concmodels.serve import serve

SIMULATED = [name for name in catalog.names(variants=True, simulated=True) if name.startswith("sim")]
PATTERNS = ("stream", "pingpong", "fanin", "fanout", "select")


def traced(folder, program, *arguments, status=0):
    """Run a program with `--trace`; return what the file contains, which is by the rules."""
    path = folder / "trace.json"
    ended, _, err = called(*arguments, "--quiet", "--trace", path, module=f"concmodels.{program}")
    assert ended == status, err
    content = rules.read(path)
    assert not rules.broken(content)
    return content


@pytest.mark.parametrize("model", [*EACH, *SIMULATED])
def test_a_ring_of_five(tmp_path, model):
    content = traced(tmp_path, "ring", 5, 3, "--model", model)
    assert rules.arrows(content) == 6 * 4 + 2  # the links, the warm-up; and the credits
    assert not rules.unmatched(content)
    about, done = content["otherData"], rules.operations(content)
    assert (about["model"], about["every"], about["ended"], about["notes"]) == (model, 1, None, [])
    assert about["clock"] == ("virtual" if model in SIMULATED else "perf_counter_ns")
    assert [lane["name"] for lane in about["lanes"].values()] == [
        "main",
        "feeder",
        *(f"node {number}" for number in range(1, 6)),
    ]
    assert [lane["parent"] for lane in about["lanes"].values()] == [None, *[1] * 6]
    assert all(lane["ended"] for lane in about["lanes"].values())
    assert len({lane["pid"] for lane in about["lanes"].values()}) == (
        7 if catalog.facts(model).family == "boundary" else 1
    )
    assert (done["start"], done["end"], done["spawn"], done["close"]) == (7, 7, 6, 7)


@pytest.mark.parametrize(("model", "pattern"), in_turn([*catalog.names(), "sim"], PATTERNS))
def test_a_channel(tmp_path, model, pattern):
    content = traced(tmp_path, "channel", pattern, 12, "--capacity", 2, "--model", model)
    assert rules.arrows(content) == rules.operations(content)["send"] > 12
    assert not rules.unmatched(content)


@pytest.mark.parametrize("model", one_of_each_kind(catalog.names(), 1))
def test_a_select_on_channels_without_a_buffer(tmp_path, model):
    content = traced(tmp_path, "channel", "select", 12, "--capacity", 0, "--model", model)
    assert not rules.unmatched(content)


@pytest.mark.parametrize("model", [*one_of_each_kind(catalog.names()), "sim:async"])
def test_the_tasks_of_a_pool(tmp_path, model):
    content = traced(tmp_path, "pool", 12, "--work", "nothing", "--workers", 2, "--model", model)
    done, about = rules.operations(content), content["otherData"]
    assert done["submit"] == done["begin"] == done["work"] == done["call"] >= 12 + 2
    assert [lane["name"].partition(" ")[0] for lane in about["lanes"].values()] == ["main", "worker", "worker"]
    assert all(lane["ended"] for lane in about["lanes"].values())
    assert not rules.unmatched(content)


@pytest.mark.parametrize(("model", "workers"), paired(["threads", "greenlet", "trio"], [None], ("threads", "trio")))
def test_a_service(tmp_path, model, workers):
    path = tmp_path / "trace.json"

    def ask(server):
        from threading import Thread

        def visit():
            from urllib.request import urlopen

            with urlopen(f"{server.url}io?ms=1") as answer:
                answer.read()
            server.stop()

        Thread(target=visit).start()

    with trace.to(path):
        serve(model, port=0, workers=workers, started=ask)
    content = rules.read(path)
    assert not rules.broken(content)
    done = rules.operations(content)
    assert done["socket"] and done["sleep"]
    assert "converse" in " ".join(lane["name"] for lane in content["otherData"]["lanes"].values())


def test_a_schedule_that_fails(tmp_path):
    content = traced(tmp_path, "explore", "examples/races/lost_update_broken.py", status=1)
    about, steps = content["otherData"], [it["args"] for it in content["traceEvents"] if it["ph"] == "X"]
    assert (about["unit"], about["ended"]) == ("step", "AssertionError: two came, 1 counted")
    assert [step["number"] for step in steps] == [*range(len(steps))]
    assert any(step["forced"] for step in steps)
    assert "visitors" in " ".join(step["line"] for step in steps)
    assert [lane["parent"] for lane in about["lanes"].values()] == [None, 1, 1]


def test_no_schedule_that_fails(tmp_path):
    path = tmp_path / "trace.json"
    status, _, err = called("examples/races/lost_update_fixed.py", "--trace", path, module="concmodels.explore")
    assert status == 0
    assert (
        err
        == f"concmodels.explore: no schedule has failed, so there is nothing to trace: {str(path)!r} is not written\n"
    )
    assert not path.exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((5, 3, "--trace", "/there/is/no/folder"), "can't write '/there/is/no/folder': No such file or directory"),
        ((5, 3, "--trace", "t", "--repeat", 2), "--trace records one run: give one --model, and no --repeat"),
        ((5, 3, "--trace", "t", "--model", "all"), "--trace records one run: give one --model, and no --repeat"),
    ],
)
def test_bad_input(arguments, complaint):
    assert called(*arguments) == (2, "", f"concmodels.ring: {complaint}\n")


def test_the_title_is_the_command_without_the_file(tmp_path):
    content = traced(tmp_path, "ring", 2, 1, "--model", "greenlet")
    assert content["otherData"]["program"] == "concmodels.ring 2 1 --model greenlet --quiet"
