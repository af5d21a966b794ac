"""The charts of web services: what each shows, and that none ranks what can't be told apart."""

from dataclasses import replace

import pytest
from test_report import LOOKS, MS, US, chart, drawn, results, row

from benchmarks import report
from benchmarks.cell import Candidate
from benchmarks.report import words
from benchmarks.result import Results, Row
from benchmarks.suites import web

NAMES = {
    "web-models", "web-waiting", "web-tail", "web-idle", "web-knee", "web-slow", "web-stop", "web-stack",
    "web-workers", "web-delay",
}  # fmt: skip
"""The charts of a run under one Python; `web-granian` compares two."""
FIGURES = dict.fromkeys(("p50_s", "p99_s", "alone_p99_s", "open_300_p99_s"), 0.01)
FIGURES |= dict.fromkeys(("goodput", "offered", "pss_bytes_per_connection", "kernel_bytes_per_connection"), 5000.0)


def everything(python: str = "3.14") -> Results:
    """A result with each candidate of the suite."""
    found = [measured(it, number, python) for number, it in enumerate(web.candidates(False)) if not gone(it)]
    return results(*found)


def gone(it: Candidate) -> bool:
    return it.call.startswith("benchmarks.web.stack.") and not it.needs


def measured(it: Candidate, number: int, python: str) -> Row:
    seconds = (1e-4 * (1 + number % 7), 1e-4 * (1.5 + number % 7))
    figures = FIGURES | {name: float(value) for name, value in it.sizes.items() if it.kind == "past" and value}
    found = row(it.path, *seconds, kind=it.kind, model=it.model, step=it.step, python=python, figures=figures)
    return replace(found, parameters=it.parameters)


def slow(name: str, answered: float, **more: object) -> Row:
    figures = {"goodput": 400 * answered, "offered": 400.0, "p50_s": 1 * MS}
    return row(f"web/slow/{name}", 9 * MS, step="answer at P99", slow=200, figures=figures, **more)


def stop(name: str, seconds: float, lost: int, **figures: float) -> Row:
    return row(f"web/stop/{name}", seconds, step="end", figures={"lost": lost, "answers": 300} | figures)


def stack(cell: str, name: str, model: str, *seconds: float, p99: float = 50 * MS, **sizes: object) -> Row:
    figures = {"p50_s": p99 / 2, "p99_s": p99}
    kind = "past" if cell == "article-2020" else "peer"
    return row(f"web/{cell}/{name}", *seconds, kind=kind, model=model, step="request", figures=figures, **sizes)


def test_a_full_run_has_every_chart(thorough: bool):
    """Each is drawn for each page, and twice alike; without `--thorough` for one page in turn, and a quarter twice."""
    every = everything()
    found = {it.name: it for it in report.charts(every)}
    assert set(found) == NAMES
    for number, it in enumerate(found.values()):
        assert it.takeaway and not it.takeaway.endswith(".") and it.alt.endswith(".") and it.sheet.lines, it.name
        for look in LOOKS if thorough else [LOOKS[number % len(LOOKS)]]:
            assert it.draw is None or it.draw(look).axes
    assert {name for name, it in found.items() if it.draw is None} == {"web-slow", "web-stop", "web-workers"}
    again = [it for it in report.charts(everything()) if it.draw]
    assert [it.name for it in again] == [name for name, it in found.items() if it.draw]
    assert [it.name for it in again[:: 1 if thorough else 4] if it.svg() != found[it.name].svg()] == []


def test_two_pythons_have_the_chart_of_their_ratio_too():
    twin = [replace(it, gil=False) for it in everything("3.14t").rows if it.kind == "peer"]
    every = results(*everything().rows, *twin)
    found = {it.name: it for it in report.charts(every)}
    assert NAMES | {"web-granian"} == set(found) - {"gil-3.14t", "works-3.14t", "iterator-3.14t"}
    assert found["web-granian"].takeaway.startswith("Without the GIL Granian gives ")


def test_slow_clients_and_what_is_answered_of_the_others():
    it = chart("web-slow", slow("threads", 1.0), slow("asyncio", 0.99), slow("gunicorn sync, raw", 0.02, kind="peer"))
    assert [line[0] for line in it.sheet.lines] == ["threads", "asyncio", "gunicorn sync, raw"]
    assert it.takeaway == ("Beside 200 slow clients 2 of 3 servers answer the others; gunicorn sync, raw answers 2%")
    assert it.sheet.lines[2][:3] == ["gunicorn sync, raw", "2%", "8"]


def test_slow_clients_that_bother_nobody():
    it = chart("web-slow", slow("threads", 1.0), slow("asyncio", 0.99))
    assert it.takeaway == "Beside 200 slow clients all 2 servers answer what the others ask"


def test_an_end_under_load_and_what_it_loses():
    it = chart("web-stop", stop("trio", 0.02, 7), stop("threads", 5.0, 0, killed=1), stop("asyncio", 0.1, 0))
    assert it.takeaway == "Asked to end under load, 2 of 3 servers lose no request; trio loses 7"
    assert [line[3:5] for line in it.sheet.lines] == [["100 ms", "no"], ["5 s", "yes"], ["20 ms", "no"]]
    assert [line[:2] for line in it.sheet.lines] == [["asyncio", "0"], ["threads", "0"], ["trio", "7"]]
    calm = chart("web-stop", stop("threads", 0.1, 0), stop("asyncio", 0.1, 0))
    assert calm.takeaway == "Asked to end under load, none of 2 servers loses a request"


def capacity(cell: str, name: str, *seconds: float, kind: str = "model", **sizes: object) -> Row:
    return row(f"web/{cell}/{name}", *seconds, kind=kind, step="request", connections=64, **sizes)


def test_most_answers_are_said_of_models_and_servers_beside_those_by_hand():
    found = [
        capacity("json", "processes", 20 * US, 25 * US, endpoint="/json", workers=2),
        capacity("json", "threads", 50 * US, 50 * US, endpoint="/json", workers=1),
        capacity("json", "baseline threads", 10 * US, 10 * US, kind="baseline", endpoint="/json", workers=1),
    ]
    it = chart("web-models", *found)
    assert it.takeaway == (
        "processes (2 workers) gives most answers, 45k a second; the models written by hand give up to 100k"
    )


def test_the_lowest_p99_of_two_workers_is_said_beside_that_of_one_process():
    times = {"subinterp": (7 * MS, 2), "threads": (12 * MS, 1), "asyncio": (25 * MS, 1)}
    found = [row(f"web/tail/{name}", it, it, step="answer at P99", workers=of) for name, (it, of) in times.items()]
    assert chart("web-tail", *found).takeaway == (
        "One request in a hundred computes: subinterp (2 workers) keeps P99 lowest, 7 ms;"
        " of the models with one process, threads, 12 ms"
    )


def test_no_lowest_p99_is_named_where_rounds_do_not_agree():
    times = {"threads": (10 * MS, 30 * MS), "greenlet": (28 * MS, 14 * MS)}
    found = [row(f"web/tail/{name}", *both, step="answer at P99") for name, both in times.items()]
    assert chart("web-tail", *found).takeaway == (
        "One request in a hundred computes: P99 is 20 ms to 21 ms; no order can be told"
    )


def test_p99_at_the_highest_rate_is_said_of_how_many_servers_and_rounds():
    found = [
        row(f"web/rate-{rate}/{name}", it, step="answer at P99", rate=rate)
        for rate in (1000, 2000)
        for name, it in (("threads", 9 * MS), ("trio", 2 * MS))
    ]
    it = chart("web-knee", *found)
    assert it.takeaway == "At 2,000 requests a second P99 is 2 ms to 9 ms among 2 servers, in 6 rounds"
    assert it.alt.startswith(f"{it.takeaway}. ")


def test_where_each_answer_takes_its_time_nobody_gives_most():
    found = [capacity("io", name, it, endpoint="/io?ms=10") for name, it in (("threads", MS / 6), ("trio", MS / 5))]
    assert chart("web-waiting", *found).takeaway == (
        "64 users who wait 10 ms for each answer can get 6.4k a second; the servers give 5k to 6k"
    )


STACK = [
    stack("workers-1", "gunicorn sync, flask", "processes", 2 * MS, 2.2 * MS, p99=90 * MS, workers=1),
    stack("workers-4", "gunicorn sync, flask", "processes", 1 * MS, p99=60 * MS, workers=4),
    stack("workers-1", "uvicorn, starlette", "asyncio", 1 * MS, 1.1 * MS, p99=80 * MS, workers=1),
    stack("workers-2", "uvicorn, starlette", "asyncio", 1 * MS, 1.2 * MS, p99=99 * MS, workers=2),
    stack("article-2020", "uvicorn, starlette", "asyncio", 200 * US, p99=75 * MS, workers=5),
    stack("article-2020", "gunicorn meinheld, falcon", "greenlet", 180 * US, p99=31 * MS, workers=16),
]


def test_each_server_of_the_stack_stands_with_its_best_number_of_workers():
    it = chart("web-stack", *STACK)
    assert it.takeaway == (
        "P99 behind nginx and with a database: processes and threads, 60 ms; greenlets and coroutines, 80 ms"
    )
    then = "processes and threads, 31 ms; greenlets and coroutines, 75 ms."  # meinheld's greenlets wait together
    assert it.alt.endswith(f"In the article, on four cores and with another machine for the load: {then}")
    assert drawn(it, "range") == pytest.approx({"gunicorn sync, flask (4)": 30 * MS, "uvicorn, starlette (1)": 40 * MS})
    assert drawn(it, "then") == pytest.approx({"uvicorn, starlette (1)": 37.5 * MS})
    assert it.sheet.lines[1] == ["uvicorn, starlette", "1", "955", "40 ms", "80 ms", "5", "5k", "37.5 ms", "75 ms"]


def test_more_workers_are_said_to_bring_what_the_spreads_show():
    it = chart("web-workers", *STACK)
    assert it.takeaway == (
        "The best number of workers instead of one: processes and threads, up to 2.1 times as many answers;"
        " greenlets and coroutines, no more answers"
    )
    assert it.sheet.lines == [["uvicorn, starlette", "955 ★", "917", ""], ["gunicorn sync, flask", "477", "", "1k ★"]]


def test_servers_that_change_places_with_the_delay_of_the_database():
    found = [
        stack(f"delay-{delay}", name, model, seconds, delay_ms=delay, workers=1)
        for name, model, times in (("sync", "processes", (1, 10)), ("async", "asyncio", (2, 2.5)))
        for delay, seconds in zip((0, 20), (it * MS for it in times), strict=True)
    ]
    it = chart("web-delay", *found)
    assert it.takeaway == (
        "Where a query takes 20 ms, servers give 10% to 80% of the answers that they give where it takes none"
    )
    assert it.alt.endswith("With no delay sync (1) before async (1); with the longest it is the other way round.")
    assert it.sheet.lines == [["async (1)", "500", "400"], ["sync (1)", "1k", "100"]]
    calm = chart("web-delay", *found[:2])
    assert calm.alt.endswith("None that was clearly before another one falls behind it.")


def test_one_row_alone_is_drawn_or_a_reason():
    for it in web.candidates(True):
        every = results(measured(it, 1, "3.14"))
        for found in report.charts(every):
            assert found.alt and (found.draw is None or found.draw(LOOKS[0]).axes), it.path


def test_how_many_in_words():
    assert [words.as_many(it) for it in (3.61, 1.004, 0.8, 66)] == [
        "3.6 times as many", "as many", "80% as many", "66 times as many",
    ]  # fmt: skip
