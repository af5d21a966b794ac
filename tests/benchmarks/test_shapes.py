"""The shapes: each comes to its end on every model and queue, what is compared does the same, and what is shown."""

from dataclasses import replace

import pytest
from test_report import LOOKS, NS, US, chart, results, row

from benchmarks import peers, report, suites
from benchmarks.result import Row
from benchmarks.shapes import Shape, ours, pools, straight, turns
from benchmarks.shapes.clock import Clock
from benchmarks.shapes.items import ITEMS
from benchmarks.suites import shapes
from concmodels import catalog

FORMS = [
    {"form": "chain", "tasks": 3, "in_flight": 2},
    {"form": "chain", "tasks": 3, "capacity": 2},
    {"form": "fan-in", "tasks": 4, "capacity": 2},
    {"form": "fan-out", "tasks": 4, "capacity": 2},
    {"form": "crowd", "tasks": 4, "capacity": 2},
    {"form": "pairs", "tasks": 4},
]
ITEMS_HOPS = [(Shape(messages=5, **sizes), hops) for sizes, hops in zip(FORMS, (20, 20, 20, 20, 10, 10), strict=True)]


def hops(took: tuple[float, dict[str, float]]) -> float:
    seconds, figures = took
    assert seconds > 0 and figures["cpu_s_per_step"] >= 0
    return seconds


@pytest.fixture
def model(request):
    """One that can run here; what its libraries keep for ever, they have then."""
    if why := catalog.why_not(request.param):
        pytest.skip(why)
    if request.param in shapes.INSIDE:
        ours.run(request.param, form="chain", tasks=1, messages=1)
    return request.param


@pytest.fixture
def peer(request):
    """One that can run here; what its libraries keep for ever, they have then."""
    if why := peers.why_not(request.param) or catalog.why_not(held(request.param).model):
        pytest.skip(why)
    if held(request.param).model in shapes.INSIDE:
        peers.shape(request.param, Shape("chain", 1, 1))
    return request.param


def held(name: str) -> peers.Peer:
    return (peers.PEERS | peers.PATIENT)[name]


@pytest.mark.parametrize("model", [*shapes.INSIDE, *shapes.BETWEEN], indirect=True)
def test_every_shape_comes_to_its_end_on_a_model(model, thorough, nothing_left_behind):
    for sizes in FORMS if thorough or model in shapes.INSIDE else FORMS[4:5]:
        assert hops(ours.run(model, messages=20, **sizes))


@pytest.mark.parametrize("peer", [*shapes.QUEUES, *peers.PATIENT], indirect=True)
def test_every_shape_comes_to_its_end_on_a_queue(peer, thorough, nothing_left_behind):
    it = held(peer)
    light = it.model in shapes.INSIDE
    for sizes in FORMS if light else FORMS[:1] if peer == shapes.SHARED or not thorough else FORMS:
        if it.bounded or "capacity" not in sizes:
            assert hops(peers.shape(peer, Shape(messages=20, **sizes)))


@pytest.fixture
def numpy():
    """numpy, with the threads that it keeps."""
    return pytest.importorskip("numpy")


@pytest.mark.parametrize("model", ["threads", "processes"], indirect=True)
def test_an_item_of_every_kind_arrives_as_it_was_sent(numpy, model, nothing_left_behind):
    for item in ITEMS if model == "threads" else ("dict of 10", "array of 1 MB"):
        assert hops(ours.run(model, form="fan-in", tasks=1, messages=2, item=item))


def test_a_call_returns_in_every_pool(thorough):
    for peer in shapes.EXECUTORS if thorough else ["ThreadPoolExecutor"]:
        assert hops(pools.peer(peer, "10 kB", 3))
    assert hops(pools.ours("threads", "10 kB", 3))


@pytest.mark.parametrize(("shape", "due"), ITEMS_HOPS, ids=lambda it: getattr(it, "form", it))
def test_hops_are_all_items_that_pass_through_a_channel(shape, due):
    passed = {"node": 1, "source": 1, "drain": 0}
    tasks = list(shape.tasks())
    sent = sum(passed[what] * shape.messages for what, *_ in tasks)
    by_caller = shape.sent or (shape.messages if shape.in_flight else 0)
    assert shape.hops == sent + by_caller == due
    assert {outbox for _, _, outbox, _ in tasks} | {inbox for _, inbox, _, _ in tasks} == set(range(shape.channels))


def test_an_item_that_is_lost_is_noticed():
    for sizes, came in (
        ({"form": "chain", "tasks": 1}, [0, 2, 1]),
        ({"form": "fan-in", "tasks": 2}, [0, 0, 0, 1, 1, 0]),
        ({"form": "fan-in", "tasks": 1, "item": "10 kB"}, [b"x"]),
        ({"form": "fan-in", "tasks": 1, "item": "int"}, [True]),
    ):
        with pytest.raises(RuntimeError, match="other items came than were sent"):
            Shape(messages=3, **sizes).check(came)
    Shape("fan-in", 2, 3).check([1, 0, 0, 1, 1, 0])


def test_whose_turn_it_was():
    assert turns([0, 1, 2, 0, 1, 2]) == {"in_a_row": 1, "longest_gap": 2}
    assert turns([0, 0, 0, 1, 1, 1]) == {"in_a_row": 3, "longest_gap": 3}
    assert turns([0, 1, 1, 1, 1, 0]) == {"in_a_row": 2, "longest_gap": 4}


def test_the_caller_keeps_so_many_in_flight():
    under_way, most, came = [], [], []

    def send(number):
        under_way.append(number)
        most.append(len(under_way))

    straight.take_part(Shape("chain", 1, 9, in_flight=4), send, lambda: under_way.pop(0), came.append)
    assert came == list(range(9)) and max(most) == 4 and not under_way


def test_the_clock_has_the_processor_time_of_a_child():
    import subprocess
    import sys

    code = "while input(): sum(range(1_000_000)); print(flush=True)"
    with subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1, text=True, bufsize=1) as child:
        with Clock() as clock:
            print("go", file=child.stdin, flush=True)
            child.stdout.readline()
        print(file=child.stdin, flush=True)
    assert clock.cpu > 0.002  # a million additions take this process nothing, and the child more


@pytest.mark.parametrize("quick", [False, True])
def test_what_is_compared_passes_on_the_same_items(quick):
    for (_, cell), found in suites.by_cell(suites.load("shapes", quick)).items():
        mine = {it.model: it for it in found if it.kind == "model"}
        for it in found:
            assert it.parameters == mine[it.model].parameters and it.steps == mine[it.model].steps, cell
            assert (it.parameters.get("in_flight") == "all") or it.parameters.get("in_flight", 0) <= it.parameters[
                "messages"
            ]


def shape(candidate: str, *seconds: float, cell: str = "chain-100-8", **more: object) -> Row:
    sizes = {"form": "chain", "tasks": 100, "in_flight": 8, "capacity": "inf", "item": "int"} | more
    model = next((models[0] for name, models in shapes.QUEUES.items() if name == candidate), candidate)
    kind = "model" if model == candidate else "peer"
    return row(f"shapes/{cell}/{candidate}", *seconds, kind=kind, model=model, **sizes)


ROWS = [
    shape("asyncio", 100 * NS),
    shape("asyncio.Queue", 60 * NS),
    shape("gevent", 100 * NS),
    shape("gevent.queue.Queue", 80 * NS),
    shape("gevent.queue.SimpleQueue", 50 * NS),
    shape("trio", 100 * NS),
    shape("trio memory channel", 450 * NS),
    shape("processes", 100 * NS, cell="between-10-8", tasks=10),
    shape("multiprocessing.Queue", 300 * NS, cell="between-10-8", tasks=10),
]


def test_a_square_says_which_side_is_faster():
    it = chart("shapes", *ROWS)
    assert it.takeaway == "Of 4 pairs, ours is faster in 1, what ships in 3; 0 are undecided"
    assert "asyncio.Queue in 1 (at most: 100 in a row, 8 in flight, 0.6)" in it.alt
    assert "gevent.queue.SimpleQueue in 1" in it.alt and "gevent.queue.Queue in" not in it.alt  # it is compiled
    for look in LOOKS:
        squares = {patch.get_label() for axes in it.draw(look).axes for patch in axes.patches}
        assert {text.split()[0]: text for text in squares}[
            "good"
        ] == "good 100 in a row, 8 in flight: trio memory channel"
        assert sum(text.startswith("bad ") for text in squares) == 3
    assert ["100 in a row, 8 in flight", "trio", "trio memory channel", "100 ns", "450 ns", "4.5", "4.5", "4.5"] in [
        line[:8] for line in it.sheet.lines
    ]
    assert "processes" in chart("shapes-between", *ROWS).sheet.lines[0]


def test_an_item_takes_longer_the_larger_it_is():
    rows = [
        shape(name, (number + 1) * factor * US, cell=f"item-{size}", form="fan-in", tasks=1, item=size)
        for name, factor in (("processes", 1), ("multiprocessing.Queue", 4))
        for number, size in enumerate(("int", "10-kB", "60-kB", "250-kB", "1-MB"))
    ]
    it = chart("shapes-sizes", *rows, shape("subinterp", 1 * US, cell="item-int", form="fan-in", tasks=1, item="int"))
    assert it.sheet.head == ["", "int", "10 kB", "60 kB", "250 kB", "1 MB"]
    assert it.sheet.lines[0] == ["processes", "1 µs", "2 µs", "3 µs", "4 µs", "5 µs"]
    assert "subinterp" not in it.alt  # it has one size alone
    for look in LOOKS:
        lines = {line.get_label(): list(line.get_ydata()) for line in it.draw(look).axes[0].lines}
        assert lines["line Queue"] == pytest.approx([4 * US, 8 * US, 12 * US, 16 * US, 20 * US])


def test_few_rounds_decide_nothing():
    few = [replace(it, seconds={1: it.median, 2: it.median}) for it in ROWS]
    it = chart("shapes", *few)
    assert it.takeaway.endswith("ours is faster in 0, what ships in 0; 4 are undecided")
    assert "Ahead of ours" not in it.alt


def test_each_pair_that_is_behind_has_its_reason():
    more = {"cell": shapes.CONVOY, "form": "fan-in", "tasks": 200, "in_flight": "all", "capacity": 8}
    convoy = [shape("eventlet", 100 * NS, **more), shape("eventlet.Queue", 50 * NS, **more)]
    it = chart("shapes-behind", *ROWS, *convoy)
    assert [(line[2], line[3].partition(":")[0], line[4]) for line in it.sheet.lines] == [
        ("eventlet.Queue", "hand-off", "0.5"),
        ("asyncio.Queue", "not known", "0.6"),
        ("gevent.queue.SimpleQueue", "compiled", "0.5"),
    ]
    assert (
        it.takeaway == "In 3 pairs ours is behind by more than a little, in 2 of them against what is written in Python"
    )


def test_whose_turn_it_is_is_a_table():
    figures = {"in_a_row": 1, "longest_gap": 199, "cpu_s_per_step": 2e-6}
    more = {"cell": shapes.CONVOY, "form": "fan-in", "tasks": 200, "in_flight": "all", "capacity": 8}
    rows = [
        shape("gevent", 100 * NS, figures=figures, **more),
        shape("gevent.queue.Queue", 50 * NS, figures=figures | {"in_a_row": 8}, **more),
    ]
    it = chart("shapes-turns", *rows)
    assert it.sheet.lines[0] == ["gevent", "100 ns", "2 µs", "1", "199"]
    assert it.takeaway == "Before another sender's turn comes, one sends 1 to 8 items in a row"
    assert it.note == "200 into one, capacity 8."


def test_a_result_without_shapes_has_no_word_of_them():
    found = results(row("ring/stream/threads", NS))
    assert not any(it.name.startswith("shapes") for it in report.charts(found))
    assert not any("hape" in it.title for it in report.absent(found))
