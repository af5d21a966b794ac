"""The report: what its charts show and say, what a page is made of, and what becomes of results that lack something."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from benchmarks import report, suites
from benchmarks.__main__ import main
from benchmarks.report import Chart, Look, ranking, shipped, words
from benchmarks.report.canvas import in_the_dark
from benchmarks.report.chart import command_for
from benchmarks.report.lines import spread_out
from benchmarks.report.page import page
from benchmarks.report.sheet import Sheet
from benchmarks.result import LeftOut, Results, Row, read
from benchmarks.rounds import ENOUGH

NS, US, MS = 1e-9, 1e-6, 1e-3
LOOKS = [Look(dark, narrow) for dark in (False, True) for narrow in (False, True)]
MACHINE = {"cpus": 2, "cpu_model": "A CPU", "memory_bytes": 8 << 30, "platform": "Linux", "load_avg": [0.1, 0.2, 0.3]}
ABOUT = {"command": "python -m benchmarks run", "date": "2026-01-01", "finished": True, "quick": False, "wanted": 9}
ABOUT |= {"machine": MACHINE, "pythons": {"3.14": {"version": "3.14.8", "gil": True}}, "seconds": 600}


def row(path: str, *few: float, kind: str = "model", model: str | None = None, **more: object) -> Row:
    """A row of so many rounds that something can be concluded from them: these few again and again."""
    seconds = few * max(1, ENOUGH // len(few))
    suite, cell, candidate = path.split("/", 2)
    python, gil, step = (more.pop(name, it) for name, it in (("python", "3.14"), ("gil", True), ("step", "hop")))
    figures = {
        name: dict(enumerate([value] * len(seconds), 1)) for name, value in dict(more.pop("figures", {})).items()
    }
    model = model or (candidate if kind == "model" else None)
    by_round = dict(enumerate(seconds, 1))
    return Row(suite, cell, candidate, kind, model, python, gil, step, 100, more, {"trio": "1.0"}, by_round, figures)


def results(*rows: Row, **about: object) -> Results:
    return Results(list(rows), [], ABOUT | about)


def ring(cell: str, name: str, *seconds: float, **more: object) -> Row:
    sizes = {"nodes": 100, "in_flight": "all", "capacity": "inf"}
    return row(f"ring/{cell}/{name}", *seconds, **sizes | more)


STREAM = [
    ring("stream", "threads", 90 * NS, 100 * NS, 120 * NS),
    ring("stream", "trio", 250 * NS, 250 * NS, 250 * NS),
    ring("stream", "baseline threads", 50 * NS, 50 * NS, 50 * NS, kind="baseline", model="threads"),
    ring("stream", "baseline trio", 125 * NS, 125 * NS, 125 * NS, kind="baseline", model="trio"),
    ring("stream", "queue.Queue", 540 * NS, 600 * NS, 720 * NS, kind="peer", model="threads"),
    ring("stream", "trio memory channel", 1 * US, 1 * US, 1 * US, kind="peer", model="trio"),
    ring("stream", "erlang", 200 * NS, kind="language"),
]
SWEEP = [
    row("spawn/units-10/trio", 20 * US, step="unit", units=10),
    row("spawn/units-100/trio", 10 * US, step="unit", units=100),
    row("spawn/units-1000/trio", 5 * US, step="unit", units=1000),
]
UNITS = [
    row("spawn/units-10/trio", 20 * US, step="unit", units=10, figures={"bytes_per_unit": 0}),
    row("spawn/units-100/trio", 10 * US, step="unit", units=100, figures={"bytes_per_unit": 2048}),
    row("spawn/units-100/threads", 40 * US, step="unit", units=100, figures={"bytes_per_unit": 8192}),
    row("spawn/units-100/baseline threads", 20 * US, kind="baseline", model="threads", units=100, step="unit"),
]
POOL = [
    row("pool/cpu/threads", 5 * MS, step="task", workers=2, figures={"speedup": 1.0}),
    row("pool/cpu/subinterp", 2.5 * MS, step="task", workers=2, figures={"speedup": 1.9}),
    row("pool/nothing/threads", 1 * US, step="task", workers=2),
    row("pool/nothing/ThreadPoolExecutor", 10 * US, step="task", kind="peer", model="threads", workers=2),
]
OTHERS = [
    row("channel/stream/trio", 200 * NS, step="message"),
    row("channel/stream/threads", 400 * NS, step="message"),
    row("classics/big/trio", 300 * NS, step="message"),
    row("articles/ring-2010/threads", 100 * NS, nodes=300),
    row("articles/cpu/threads", 70 * MS, step="life of the pool"),
]
WEB = [
    row("web/json/threads", 20 * US, 25 * US, step="request", loop="closed"),
    row("web/json/baseline threads", 10 * US, kind="baseline", model="threads", step="request", loop="closed"),
    row("web/json/uvicorn, raw", 40 * US, kind="peer", model="asyncio", step="request", loop="closed"),
    row("web/io/trio", 200 * US, step="request", loop="closed"),
    row("web/tail/threads", 5 * MS, step="answer at P99", rate=400, figures={"alone_p99_s": 1 * MS}),
    row("web/tail/asyncio", 25 * MS, step="answer at P99", rate=400),
    row("web/idle/asyncio", 1 * MS, step="connection", figures={"pss_bytes_per_connection": 6144}),
    row("web/idle/threads", 1 * MS, step="connection", figures={"pss_bytes_per_connection": 24576}),
    row("web/rate-1000/trio", 1 * MS, step="answer at P99", loop="open", rate=1000),
    row("web/rate-8000/trio", 9 * MS, step="answer at P99", loop="open", rate=8000),
    row("web/granian/asgi W1 /json on 3.14", 30 * US, kind="past", model="asyncio", step="request"),
]
EVERYTHING = [*STREAM, *UNITS, *POOL, *OTHERS, *WEB]


def chart(name: str, *rows: Row) -> Chart:
    found = {it.name: it for it in report.charts(results(*rows))}
    assert name in found
    return found[name]


def drawn(it: Chart, kind: str, look: Look | None = None) -> dict[str, float]:
    """What is on the picture: x of all artists that are labelled so, by the rest of their label."""
    found = {}
    for axes in it.draw(look or Look()).axes:
        things = [(bar.get_label(), bar.patches[0].get_width()) for bar in axes.containers]
        things += [(line.get_label(), line.get_xdata()[0]) for line in axes.lines]
        found |= {label.removeprefix(f"{kind} "): x for label, x in things if label.startswith(f"{kind} ")}
    return found


def test_a_ring_has_a_bar_for_each_model_and_a_mark_for_its_baseline():
    it = chart("ring-stream", *STREAM)
    for look in LOOKS:
        assert drawn(it, "bar", look) == pytest.approx({"threads": 100 * NS, "trio": 250 * NS})
        assert drawn(it, "mark", look) == pytest.approx({"threads": 50 * NS, "trio": 125 * NS})


def test_a_ring_says_who_is_fastest_and_how_far_from_the_baselines():
    rows = [*STREAM[:3], ring("stream", "baseline trio", 25 * NS, kind="baseline", model="trio")]
    assert chart("ring-stream", *rows).alt == (
        "threads is fastest with 100 ns a hop, trio slowest with 250 ns, 2.5 times as long."
        " Beside the same ring by hand (the mark), threads takes 2 times as long, trio takes 10 times as long."
    )


def test_a_ring_of_one_model_compares_it_with_nothing():
    assert chart("ring-stream", STREAM[0]).alt == "Only threads was measured: 100 ns a hop."


def test_the_command_measures_the_same_again():
    assert chart("ring-stream", *STREAM).command == "python -m benchmarks run ring/stream --output new.json"
    many = [ring(f"cell-{number}", "threads", 1) for number in range(9)]
    assert command_for(results(*many), many) == "python -m benchmarks run ring --output new.json"
    two = results(*STREAM[:1], ring("stream", "threads", 1, python="3.15"), quick=True)
    assert command_for(two, two.rows).endswith("ring/stream --python 3.14 --python 3.15 --quick --output new.json")


def test_a_sweep_runs_from_the_first_value_to_the_last():
    it = chart("spawn-growth", *SWEEP)
    line = next(line for line in it.draw(Look()).axes[0].lines if line.get_label() == "line trio")
    assert list(line.get_xdata()) == pytest.approx([1, 2, 3])
    assert list(line.get_ydata()) == pytest.approx([20 * US, 10 * US, 5 * US])
    assert it.sheet.head == ["tasks (log)", "10", "100", "1,000"]
    assert it.takeaway == "One of 1,000 tasks of trio is 4 times as fast to start as one of 10"


def test_peers_are_ratios_within_a_round_with_the_goals():
    it = chart("comparison-stream", *STREAM)
    assert drawn(it, "met")["queue.Queue"] == pytest.approx(6)
    assert drawn(it, "goal")["queue.Queue"] == 5
    assert drawn(it, "missed") == pytest.approx({"trio memory channel": 4})
    assert "erlang" in drawn(it, "met")  # compared with threads
    assert "3 of 4 goals are met, 0 are undecided; not met: trio against trio memory channel (4, goal 7)." in it.alt
    assert ["threads", "queue.Queue", "6", "6", "6", "5", "yes"] in it.sheet.lines


def test_patterns_are_a_table_of_models_and_programs():
    it = chart("channel", *OTHERS)
    assert it.draw is None and it.sheet.head == ["", "stream"] and it.note.endswith("per message (stream).")
    assert it.sheet.lines == [["trio", "200 ns"], ["threads", "400 ns"]]
    assert it.takeaway == "trio is among the fastest in 1 of 1 programs"


def test_memory_that_can_not_be_seen_is_not_shown():
    it = chart("spawn-memory", *UNITS)
    assert drawn(it, "bar") == {"trio (100)": 2048, "threads (100)": 8192}
    assert it.alt == "A task of trio takes 2 KiB of memory, one of threads 8 KiB: 4 times as much."
    report.charts(results(UNITS[0]))


def test_the_time_of_a_unit_has_its_baseline_and_its_growth():
    assert drawn(chart("spawn-time", *UNITS), "mark") == {"threads": 20 * US}
    assert "One of 100 tasks of trio is 2 times as fast to start as one of 10" in chart("spawn-growth", *UNITS).alt


def test_a_pools_gain_is_held_against_its_workers():
    it = chart("pool-speedup", *POOL)
    assert drawn(it, "bar") == pytest.approx({"subinterp": 1.95, "threads": 0.975})
    assert it.takeaway == "When computing, only subinterp is faster than a loop (1.95 times)"
    assert [line.get_xdata()[0] for line in it.draw(Look()).axes[0].lines if line.get_label() == "line"] == [2]


def buffer_task(name: str, *seconds: float, speedup: float) -> Row:
    return row(f"pool/buffer/{name}", *seconds, step="task", workers=2, figures={"speedup": speedup})


def test_all_pools_are_held_against_one_plain_loop():
    slow_loop = buffer_task("subinterp", 15 * MS, speedup=2.0)  # of 30 ms, where the others' loops take 10
    it = chart("pool-speedup", slow_loop, *(buffer_task(name, 10 * MS, speedup=1.0) for name in ("threads", "trio")))
    assert drawn(it, "bar") == pytest.approx({"threads": 1, "trio": 1, "subinterp": 2 / 3})
    assert it.sheet.lines[-1] == ["subinterp", "1/1.5"]
    assert it.takeaway == "When reading one buffer, no model is measurably faster than a loop"


def test_runs_that_are_too_short_are_not_ranked():
    trio, threads = buffer_task("trio", 4 * US, speedup=1.5), buffer_task("threads", 6 * US, speedup=1.0)
    it = chart("pool-speedup", trio, threads)
    assert list(drawn(it, "bar")) == ["threads", "trio"]  # by family, not by speed
    assert it.takeaway == "These runs are too short to rank the models"
    assert it.note == "Not ranked, because a run under 100 ms is mostly noise: reading one buffer took 400 µs."
    assert "not ranked" in it.alt and "as fast" not in it.alt


def test_what_ships_is_a_mark_beside_what_is_built():
    rows = [*STREAM, ring("stream", "greenlet", 300 * NS)]
    it = chart("shipped-stream", *rows)
    for look in LOOKS:
        assert drawn(it, "built", look) == pytest.approx({"threads": 100 * NS, "trio": 250 * NS, "greenlet": 300 * NS})
        assert drawn(it, "ships", look) == pytest.approx({"threads": 600 * NS, "trio": 1 * US})
    assert it.takeaway == (
        "Streaming: with what ships, models lie a factor of 1.7 apart; with a channel built for each, 2.5"
    )
    assert "threads 600 ns and 100 ns; trio 1 µs and 250 ns." in it.alt
    assert it.sheet.lines[0] == ["threads", "queue.Queue", "600 ns", "100 ns", "6 times"]
    assert it.sheet.lines[-1] == ["greenlet", "nothing", "", "300 ns", ""]


def rings_beside_a_queue_that_polls(cell: str) -> list[Row]:
    """Two models with what ships; that of subinterp is the slowest, and sleeps between two looks."""
    return [
        ring(cell, "threads", 2 * US),
        ring(cell, "subinterp", 4 * US),
        ring(cell, "queue.Queue", 4 * US, kind="peer", model="threads"),
        ring(cell, "interpreters.Queue", 4 * MS, kind="peer", model="subinterp"),
        ring(cell, "baseline threads", 1 * US, kind="baseline", model="threads"),
    ]


def test_a_queue_that_looks_every_10_ms_is_no_headline_where_a_task_has_to_be_woken():
    rows = rings_beside_a_queue_that_polls("token")
    it = chart("comparison-token", *rows)
    assert it.takeaway == (
        "Farthest to the right but for interpreters.Queue, which looks every 10 ms, threads is 2 times as fast as"
        " queue.Queue; farthest to the left, threads takes 2 times as long as code by hand"
    )
    assert "interpreters.Queue" in [line[1] for line in it.sheet.lines]
    assert "apart (without interpreters.Queue, which looks every 10 ms)" in chart("shipped-token", *rows).takeaway
    told = report.tables(results(*rows))["goals"]
    assert "| subinterp against interpreters.Queue (which looks every 10 ms) | 1,000 |" in told


def test_it_is_one_like_any_other_while_messages_are_waiting():
    rows = rings_beside_a_queue_that_polls("stream")
    assert "subinterp is 1,000 times as fast as interpreters.Queue" in chart("comparison-stream", *rows).takeaway
    assert "a factor of 1,000 apart; with" in chart("shipped-stream", *rows).takeaway
    assert "every 10 ms" not in report.tables(results(*rows))["goals"]


def test_no_difference_is_claimed_between_what_ships_and_what_is_built_where_rounds_differ():
    it = chart(
        "shipped-stream", STREAM[0], ring("stream", "queue.Queue", 95 * NS, 110 * NS, kind="peer", model="threads")
    )
    assert it.sheet.lines == [["threads", "queue.Queue", "102 ns", "100 ns", "undecided"]]
    faster = ring("stream", "queue.Queue", 50 * NS, kind="peer", model="threads")
    it = chart("shipped-stream", STREAM[0], faster)
    assert it.sheet.lines[0][-1] == "0.5 times"
    assert it.alt.endswith("Faster with what ships: threads.")


def test_everything_that_ships_is_a_candidate_of_the_benchmarks():
    for suite, cell, known in (("ring", "token", shipped.CHANNELS), ("pool", "nothing", shipped.POOLS)):
        found = {(it.model, it.name) for it in suites.load(suite) if it.cell == cell}
        assert set(known.items()) <= found


TOKEN = [
    ring("token", "threads", 8 * US, 9 * US),
    ring("token", "trio", 4 * US, 5 * US),
    ring("token", "queue.Queue", 10 * US, kind="peer", model="threads"),
]


def test_the_slopes_go_from_streaming_to_waking_on_one_axis():
    it = chart("slope", *STREAM, *TOKEN)
    for look in LOOKS:
        built, ships = it.draw(look).axes
        lines = {line.get_label(): list(line.get_ydata()) for line in built.lines}
        assert lines["line threads"] == pytest.approx([100 * NS, 8.5 * US])
        assert [line.get_label() for line in ships.lines] == ["line threads"]
        assert built.get_ylim() == ships.get_ylim()
    assert it.takeaway == (
        "With a channel built for each model, a message to a task that is awake takes 100 ns to 250 ns;"
        " to one that has to be woken, 4.5 µs to 8.5 µs"
    )
    assert "With what ships: threads from 600 ns to 10 µs." in it.alt


def test_rows_that_are_first_in_some_rounds_only_are_not_ranked():
    one, two = ring("stream", "trio", 1 * US, 3 * US), ring("stream", "threads", 4 * US, 2 * US)
    far = ring("stream", "gevent", 9 * US)
    assert ranking.leaders([two, one, far]) == [one, two] and ranking.trailers([two, one, far]) == [far]
    assert ranking.headline([one, two]) == "2 µs to 3 µs a hop; no order can be told"
    assert (
        ranking.headline([one, two, far])
        == "trio and threads lead with 2 µs to 3 µs a hop; gevent takes 4.5 times as long"
    )
    assert chart("ring-stream", one, two, far).alt.startswith(
        "trio is among the fastest with 2 µs a hop, gevent slowest"
    )


def test_what_happens_in_every_round_is_an_order_though_the_rounds_themselves_lie_far_apart():
    one, two = ring("stream", "trio", 1 * US, 3 * US), ring("stream", "threads", 2 * US, 4 * US)
    assert ranking.leaders([two, one]) == [one] and ranking.trailers([two, one]) == [two]
    elsewhere = replace(two, cell="token")
    assert not ranking.less(one, elsewhere)  # other cells ran at other times
    assert ranking.less(one, replace(elsewhere, seconds=dict.fromkeys(range(1, 7), 4 * US)))


def test_nothing_is_ranked_in_fewer_rounds_than_bear_it():
    few = [replace(it, seconds={1: it.median, 2: it.median}) for it in STREAM]
    assert ranking.leaders(few[:2]) == few[:2]
    assert ranking.headline(few[:2]) == "100 ns to 250 ns a hop; 2 rounds can't tell which is first"
    assert chart("ring-stream", *few).alt.startswith(
        "threads and trio have the least and the greatest median, 100 ns and 250 ns a hop; 2 rounds can't tell"
    )
    assert "0 of 4 goals are met, 4 are undecided." in chart("comparison-stream", *few).alt
    assert "undecided" in chart("shipped-stream", *few).sheet.lines[0]


RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
COMMITTED = [file for name in ("full*.json", "web*.json") for file in sorted(RESULTS.glob(name))]


@pytest.mark.parametrize("file", COMMITTED, ids=lambda file: file.stem)
def test_every_chart_has_a_takeaway_for_people(file):
    known = read(file)
    models = {row.candidate for row in known.rows if row.kind == "model"}
    for it in [*report.charts(known), *(own for model in sorted(models) for own in report.model_charts(known, model))]:
        assert it.takeaway and not it.takeaway.endswith("."), it.name
        assert it.alt.endswith("."), it.name
        for text in (it.takeaway, it.alt, it.note):
            assert not re.search(r"\b0\.\d+ times", text), (it.name, text)
            assert "1 times" not in re.sub(r"[\d.,]1 times", "", text), (it.name, text)


def test_a_pools_cost_stands_beside_what_one_might_pick_instead():
    it = chart("pool-nothing", *POOL)
    assert drawn(it, "bar") == {"threads": 1 * US, "ThreadPoolExecutor": 10 * US}
    assert "ThreadPoolExecutor" in it.alt


def test_an_article_is_measured_again():
    it = chart("article-2010", *OTHERS)
    assert drawn(it, "bar") == pytest.approx({"threads": 100 * NS})
    assert it.takeaway == "Only threads was measured: 100 ns a hop"


def test_web_services_are_compared_by_what_their_users_have_of_them():
    capacity, tail, idle, knee = (chart(f"web-{name}", *WEB) for name in ("models", "tail", "idle", "knee"))
    assert drawn(capacity, "bar") == pytest.approx({"threads": 45_000, "uvicorn, raw": 25_000})
    assert drawn(capacity, "mark") == pytest.approx({"threads": 100_000})
    assert capacity.takeaway == "threads gives most answers, 45k a second; the models written by hand give up to 100k"
    assert capacity.alt.startswith(f"{capacity.takeaway}. The fewest answers are 25k a second.")
    assert drawn(tail, "bar") == pytest.approx({"threads": 5 * MS, "asyncio": 25 * MS})
    assert drawn(tail, "mark") == pytest.approx({"threads": 1 * MS})
    assert tail.takeaway == "One request in a hundred computes: threads keeps P99 lowest, 5 ms"
    assert idle.alt.startswith("A connection that waits takes 6 KiB in asyncio and 24 KiB in threads;")
    assert knee.takeaway == "At 8,000 requests a second P99 is 9 ms on trio, in 6 rounds"
    assert "| threads | 45k | 6 |" in capacity.sheet.markdown()


def test_an_articles_ratio_stands_beside_that_of_the_twins():
    def granian(name: str, python: str, per_second: float, kind: str = "peer") -> Row:
        candidate = f"{name} on {python}" if kind == "past" else name
        it = row(f"web/granian/{candidate}", 1 / per_second, kind=kind, model="asyncio", step="request")
        if kind == "past":
            return replace(it, parameters={"server": "granian", "python": python})
        return replace(it, parameters={"server": "granian"}, python=python, gil=python == "3.14")

    both = [granian("asgi W1 /json", python, number) for python, number in {"3.14": 1000, "3.14t": 800}.items()]
    past = [granian("asgi W1 /json", python, number, "past") for python, number in {"3.14": 30, "3.14t": 27}.items()]
    it = chart("web-granian", *both, *past)
    assert drawn(it, "dot") == pytest.approx({"asgi W1 /json": 0.8})
    assert drawn(it, "then") == pytest.approx({"asgi W1 /json": 0.9})
    assert "| asgi W1 /json | 1k | 800 | 0.8 | 30 | 27 | 0.9 |" in it.sheet.markdown()
    of_what = "of the answers per second that the same service gives with it"
    assert it.takeaway == f"Without the GIL Granian gives 80% {of_what}"
    assert "asgi W1 /json gives 80% as many answers" in it.alt and "it was 90% as many" in it.alt
    (absent,) = [it for it in report.absent(results(both[0], *past)) if "Granian" in it.title]
    assert "not measured under both" in absent.why


def test_a_result_without_web_services_says_so_once():
    assert [it.title for it in report.absent(results(*STREAM))].count("Web services") == 1


def test_without_the_gil_beside_with_it():
    newer = ring("stream", "threads", 50 * NS, 50 * NS, 50 * NS, python="3.15")
    free = ring("stream", "threads", 200 * NS, 200 * NS, 200 * NS, python="3.14t", gil=False)
    every = results(*STREAM, newer, free)
    found = {it.name: it for it in report.charts(every)}
    assert drawn(found["gil-3.14t"], "dot") == pytest.approx({"threads": 0.5})
    assert "gil-3.15" not in found
    assert not any("the GIL was always" in it.why for it in report.absent(every))


def test_another_python_is_a_line_of_its_own_in_a_sweep():
    free = [replace(it, python="3.14t", gil=False, seconds={1: it.median * 2}) for it in SWEEP]
    for look in LOOKS:
        found = {it.name: it for it in report.charts(results(*SWEEP, *free))}
        lines = {line.get_label(): line for line in found["spawn-growth"].draw(look).axes[0].lines}
        one, other = lines["line trio"], lines["line trio, 3.14t"]
        assert list(other.get_ydata()) == pytest.approx([40 * US, 20 * US, 10 * US])
        assert one.get_color() == other.get_color() and one.get_marker() != other.get_marker()
    assert [line[0] for line in found["spawn-growth"].sheet.lines] == ["trio", "trio, 3.14t"]


def test_another_python_has_its_own_mark_for_what_ships():
    free = [replace(it, python="3.14t", gil=False, seconds=dict.fromkeys(it.seconds, it.median * 2)) for it in STREAM]
    it = next(it for it in report.charts(results(*STREAM, *free)) if it.name == "shipped-stream")
    assert ["threads, 3.14t", "queue.Queue", "1.2 µs", "200 ns", "6 times"] in it.sheet.lines
    assert drawn(it, "ships")["threads, 3.14t"] == pytest.approx(1.2 * US)


def growing(model: str, *seconds: float, **more: object) -> list[Row]:
    """A row for 1 worker, for 2, for 4 ..."""
    numbers = [2**place for place in range(len(seconds))]
    return [
        row(f"pool/workers-{workers}/{model}", took, step="task", workers=workers, work="cpu", **more)
        for workers, took in zip(numbers, seconds, strict=True)
    ]


def test_a_pool_is_shown_along_its_workers():
    it = chart("pool-workers", *growing("processes", 8 * MS, 4 * MS, 2 * MS), *growing("threads", 8 * MS, 8 * MS))
    assert it.sheet.head == ["workers", "1", "2", "4"]
    assert it.sheet.lines == [["processes", "125", "250", "500"], ["threads", "125", "125", ""]]
    assert it.takeaway == "With more workers, computing in processes is 4 times as fast, in threads it takes as long"
    assert it.alt.endswith("processes 125 with 1 and 500 with 4; threads 125 with 1.")
    assert it.note.startswith("This machine has 2 processors")
    assert len(it.draw(Look()).axes) == 2  # a part for each family
    assert any("workers" in it.why for it in report.absent(results(*POOL)))


def test_what_was_not_measured_is_a_line():
    assert any("the GIL was always on" in it.why for it in report.absent(results(*STREAM)))
    assert "ring/bounded" in page(results(*STREAM[:1]))


def test_a_models_own_charts():
    every = results(*EVERYTHING)
    found = {it.name: it for it in report.model_charts(every, "trio")}
    assert list(found) == ["trio-ring", "trio-units"]
    assert list(drawn(found["trio-ring"], "bar")) == ["by hand", "trio", "trio memory channel"]
    assert found["trio-units"].alt == "Among 100 tasks, one of trio starts in 10 µs and takes 2 KiB of memory."
    assert report.model_charts(every, "gevent") == []


def test_a_picture_is_the_same_whenever_the_figures_are():
    one, other = (chart("ring-stream", *STREAM) for _ in range(2))
    assert one.svg(Look(dark=True)) == other.svg(Look(dark=True)) != one.svg()
    assert one.png(Look(narrow=True)) == other.png(Look(narrow=True))


@pytest.mark.parametrize("name", ["ring-stream", "spawn-growth"])
def test_a_dark_picture_is_the_light_one_in_other_tints(name: str):
    def without_names(svg: str) -> str:
        return re.sub(r"\b[mp][0-9a-f]{10}\b", "", svg)  # matplotlib's, which depend on the tints

    it = {found.name: found for found in report.charts(results(*EVERYTHING))}[name]
    for look, svg in it.svgs().items():
        assert without_names(svg) == without_names(it.svg(look))


def test_a_tint_that_is_mixed_with_the_page_is_not_taken_for_another():
    assert in_the_dark("fill: #ffffff; stroke: #1b1f24") == "fill: #131416; stroke: #e8ebee"
    assert in_the_dark("fill: #ffffff; stroke: #1b1f25") is None


def test_a_picture_has_its_words_as_text_and_for_screen_readers():
    it = chart("ring-stream", *STREAM)
    text = it.svg()
    assert text.startswith('<svg role="img" aria-label="threads is fastest')
    assert ">rawthreads<" not in text and ">threads</text>" in text
    refers = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))
    assert refers == set(re.findall(r'id="([^"]+)"', text))  # else two pictures in one page disturb each other


def test_a_narrow_picture_is_as_wide_as_a_phone_shows():
    for look in LOOKS:
        for it in report.charts(results(*STREAM)):
            figure = it.draw(look)
            assert figure.get_figwidth() * figure.dpi == pytest.approx(350 if look.narrow else 900)


def test_a_figure_has_its_look_wherever_it_is_drawn():
    it = chart("ring-stream", *STREAM)
    light, dark = ([text.get_color() for text in it.draw(look).axes[0].texts] for look in (Look(), Look(dark=True)))
    assert set(light) == {"#1b1f24"} and set(dark) == {"#e8ebee"}


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))


def test_a_page_fetches_nothing_and_runs_nothing():
    every = results(*STREAM[:3], *POOL[2:])
    text = page(every)
    tags = Tags(text).found
    addresses = [about[name] for _, about in tags for name in ("src", "href", "srcset") if name in about]
    assert addresses and all(it.startswith(("data:image/svg+xml;base64,", "#")) for it in addresses)
    assert not {"script", "link", "iframe", "object"} & {tag for tag, _ in tags}
    assert "@import" not in text and "url(" not in text
    assert [about["alt"] for tag, about in tags if tag == "img"] == [it.alt for it in report.charts(every)]
    ids = [about["id"] for _, about in tags if "id" in about]
    assert len(set(ids)) == len(ids) and {it[1:] for it in addresses if it[0] == "#"} <= set(ids)


def test_a_page_tells_the_circumstances():
    every = Results(STREAM[:1], [LeftOut("ring", "stream", "erlang", "3.14", False, "no <erl> here")], ABOUT)
    text = page(every)
    assert "A CPU; 8 GiB of memory; Linux; load at the start 0.1, 0.2, 0.3" in text
    assert "3.14.8 with the GIL" in text and "10 minutes" in text and "trio 1.0" in text
    assert "ring/stream/erlang@3.14: no &lt;erl&gt; here" in text


def test_a_page_of_nothing_says_so():
    text = page(results(finished=False, quick=True, pythons={}))
    assert "Nothing was measured" in text and "not finished" in text and "quick run" in text and "<img" not in text
    assert page(Results([], [], {}))


def test_no_missing_row_is_the_end_of_a_report():
    for count in range(len(EVERYTHING)):
        some = results(*EVERYTHING[:count], *EVERYTHING[count + 1 :])
        assert len(report.charts(some)) + len(report.absent(some)) >= len(report.charts(results(*EVERYTHING)))
        alone = results(EVERYTHING[count])
        for it in report.charts(alone):
            assert it.alt and it.sheet.lines and (it.draw is None or it.draw(Look()).axes)


def test_tables_are_markdown_by_name():
    found = report.tables(results(*EVERYTHING))
    assert {"ring-stream", "spawn-growth", "comparison-stream", "spawn-memory", "pool-nothing", "goals"} <= set(found)
    assert (
        found["pool-speedup"]
        == "|  | computing: times as fast |\n| --- | ---: |\n| subinterp | 1.95 |\n| threads | 0.975 |\n"
    )
    assert "| threads against queue.Queue | 6 | 5 | yes | 6 | 6 | ring/stream |" in found["goals"]


def explorer(bug: str, tool: str, **figures: float) -> Row:
    return row(f"explore/{bug}/{tool}", 1e-3, kind="peer", step="schedule", figures=figures)


def test_the_tables_of_the_explorers_tell_what_was_found_and_what_was_not():
    found = report.tables(
        results(
            explorer("aba", "explore", first_failure=28, schedules_in_all=144, complete_s=0.2, complete=1),
            explorer("aba", "frontrun dpor", tried=1, no_verdict=1),
            explorer("aba", "frontrun random", tried=1000, no_verdict=0),
            explorer("aba", "ploom", first_failure=7, ran=1186, complete=0),
            explorer("lost_update", "ploom", first_failure=6, ran=118, complete=1),
        )
    )
    head, _, aba, lost_update = found["explorers-found"].splitlines()
    assert head.startswith("|  | ours | interleave-test, random | interleave-test, PCT |")
    assert aba == "| aba | 28 | — | — | — | no verdict | none in 1,000 | 7 | — |"
    assert lost_update == "| lost update | — | — | — | — | — | — | 6 | — |"
    assert "| aba | 1k |" in found["explorers-speed"]
    assert "| aba | 144 | 200 ms | not all, 1,186 |\n| lost update | — | — | all 118 |" in found["explorers-proofs"]
    assert not [name for name in report.tables(results(*STREAM)) if name.startswith("explorers")]


def test_a_table_escapes_what_has_a_meaning():
    sheet = Sheet(["a|b", "n"], [["<x>", "1"]])
    assert sheet.markdown().startswith("| a\\|b | n |\n")
    assert "&lt;x&gt;" in sheet.html() and '<td class="number">1</td>' in sheet.html()


def test_figures_in_words():
    assert [words.duration(it) for it in (62e-9, 0.99996e-6, 1.5, 0, 1234)] == [
        "62 ns",
        "1 µs",
        "1.5 s",
        "0",
        "1,234 s",
    ]
    assert [words.size(it) for it in (740, 2048, 5 << 30)] == ["740 B", "2 KiB", "5 GiB"]
    assert [words.times(it) for it in (0.3184, 3.75, 15.2, 1684)] == [
        "0.32 times",
        "3.8 times",
        "15 times",
        "1,700 times",
    ]
    assert [words.takes(it) for it in (3.6, 1 / 150, 1.01, 0.99)] == [
        "takes 3.6 times as long",
        "is 150 times as fast",
        "takes as long",
        "takes as long",
    ]
    assert [words.as_fast(it) for it in (2.74, 0.985, 0.293, 1 / 150, 0)] == ["2.74", "0.985", "1/3.4", "1/150", "0"]
    assert words.rate(16_123_357) == "16.1M" and words.listing(["a", "b", "c"]) == "a, b and c"
    assert words.listing(["a, x", "b, x", "c, x"]) == "a, x; b, x and c, x"


def test_labels_are_pushed_apart_and_stay_inside():
    assert spread_out([0.0, 0.1, 5.0], 1.0, -9, 9) == pytest.approx([-0.3, 0.7, 4.7])
    assert spread_out([9.0, 9.0], 1.0, 0, 9) == pytest.approx([8.0, 9.0])


def result_file(folder: Path) -> Path:
    from test_benchmarks import run_of

    from benchmarks.record import Record

    record = Record(folder / "new.json", **{name: ABOUT[name] for name in ("command", "quick", "wanted", "machine")})
    record.add(run_of("ring/stream/threads", 1, 100 * NS))
    record.finish(True)
    return folder / "new.json"


def told(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr("sys.argv", ["benchmarks", "report", *map(str, arguments)])
    return main()


def test_the_command_writes_page_charts_and_tables(tmp_path, monkeypatch, capsys):
    assert told(monkeypatch, result_file(tmp_path), "--output", tmp_path / "out") == 0
    written = {str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.*")}
    assert written == {"index.html", "charts/ring-stream.svg", "charts/ring-stream.png", "tables/ring-stream.md"}
    assert sorted(capsys.readouterr().out.split()) == sorted(str(tmp_path / "out" / name) for name in written)
    assert (tmp_path / "out/charts/ring-stream.png").read_bytes().startswith(b"\x89PNG")


def test_bad_input_is_a_sentence(tmp_path, monkeypatch, capsys):
    assert told(monkeypatch, tmp_path / "nothing.json") == 2
    assert "can't be read" in capsys.readouterr().err
    (tmp_path / "other.json").write_text("[]")
    assert told(monkeypatch, tmp_path / "other.json") == 2
    assert "is not a result of" in capsys.readouterr().err


def test_where_nothing_can_be_written_a_sentence_says_so(tmp_path, monkeypatch, capsys):
    file = result_file(tmp_path)
    assert told(monkeypatch, file, "--output", file) == 2
    assert "is no folder" in capsys.readouterr().err
    assert told(monkeypatch, file, "--output", "/dev/null/there") == 2
    assert "is no folder" in capsys.readouterr().err


def test_a_full_disk_is_a_sentence(tmp_path, monkeypatch, capsys):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/index.html").symlink_to("/dev/full")
    assert told(monkeypatch, result_file(tmp_path), "--output", tmp_path / "out") == 2
    assert "index.html can't be written: No space left on device" in capsys.readouterr().err
