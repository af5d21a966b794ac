"""The pages of web services: verdicts come from the rounds, and pages do without a result that is not there."""

import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import interruptible
import preloaded
import pytest

from benchmarks import report
from benchmarks.disturbance import MARK
from benchmarks.report import web_stack as stack
from benchmarks.report import words
from benchmarks.report.verdicts import AGAINST, FAILS, HOLDS, MISSING, OPEN, PARTLY, Ratio, judge, ratio
from benchmarks.result import LeftOut, Results, Row
from benchmarks.rounds import ENOUGH, Interval
from benchmarks.suites import web
from benchmarks.web.stack import past, rows
from concmodels import catalog

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs" / "_ext"))
pytest.importorskip("sphinx")

from concdocs import (  # noqa: E402 - found only now
    about,
    claims,
    figures,
    results,
    web_tables,
)
from concdocs.places import Mistake, NotMeasured  # noqa: E402

PAGES = sorted((ROOT / "docs").rglob("*.md"))
ABSENT = "There is no result of web services here"
PAGE = """\
# Page

```{about-result} web
```

{measured}`web:web/tail/threads`, {ratio}`web:web/tail/threads / web:web/tail/asyncio|spread`,
{measured}`web-twins:web/granian/asgi W1 /json|figure p99_s`.

```{chart} web:web-tail
```
```{result-table} web:web-quiet
```
```{bars} web:web/tail
```
```{claims} web-twins:gil-free
```
```{claims} web:async
```
"""


def row(cell, candidate, *goodputs, python="3.14", kind="peer", model="asyncio", parameters=(), **more):
    """A row with enough rounds, these again and again; each figure of `more` is the same in all of them."""
    rounds = dict(enumerate(goodputs * (ENOUGH // len(goodputs)), 1))
    known = {"goodput": rounds} | {name: dict.fromkeys(rounds, value) for name, value in more.items()}
    seconds = {number: 1 / value for number, value in rounds.items()}
    gil = not python.endswith("t")
    return Row("web", cell, candidate, kind, model, python, gil, "request", 1, dict(parameters), {}, seconds, known)


def result(*rows, left_out=(), cpus=2):
    """A result with these rows."""
    pythons = {"3.14": {"version": "3.14.8", "gil": True}}
    return Results([*rows], [*left_out], {"date": "2026-11-23T02:00:00", "machine": {"cpus": cpus}, "pythons": pythons})


def verdict(judged, beginning):
    """The verdict of the claim that begins like this."""
    (found,) = [it.verdict for it in judged if it.what.startswith(beginning)]
    return found


# Verdicts.


@pytest.mark.parametrize(
    ("low", "high", "rounds", "is_more", "is_less", "is_not_more", "is_alike"),
    [
        (1.2, 1.4, ENOUGH, HOLDS, FAILS, FAILS, FAILS),
        (0.7, 0.8, ENOUGH, FAILS, HOLDS, HOLDS, FAILS),
        (0.9, 1.2, ENOUGH, OPEN, OPEN, OPEN, OPEN),
        (0.98, 1.03, ENOUGH, OPEN, OPEN, HOLDS, HOLDS),
        (1.01, 1.04, ENOUGH, OPEN, FAILS, HOLDS, HOLDS),
        (2.0, 2.0, ENOUGH - 1, OPEN, OPEN, OPEN, OPEN),
    ],
)
def test_a_claim_holds_or_not_where_the_whole_interval_says_so(
    low, high, rounds, is_more, is_less, is_not_more, is_alike
):
    it = Interval((low + high) / 2, low, high, rounds)
    told = [judge(Ratio(it, it), direction) for direction in ("more", "less", "not more", "alike")]
    assert told == [is_more, is_less, is_not_more, is_alike]


def test_disturbed_rounds_decide_nothing():
    one, other = row("a", "x", 100), row("a", "y", 50)
    steal = dict.fromkeys(one.seconds, 0.0) | {1: 0.3}
    busy = replace(one, figures=one.figures | {"steal": steal})
    assert judge(ratio(one, other), "more") == HOLDS
    assert judge(ratio(busy, other), "more") == OPEN  # five calm rounds are too few
    everywhere = replace(one, figures=one.figures | {"steal": dict.fromkeys(steal, 0.3)})
    assert judge(ratio(everywhere, other), "more") == OPEN
    longer = [replace(it, seconds=it.seconds | {7: 1 / rate}, figures={"goodput": it.figures["goodput"] | {7: rate}})
              for it, rate in ((one, 100), (other, 50))]  # fmt: skip
    longer[0].figures["steal"] = steal | {7: 0}
    assert judge(ratio(*longer), "more") == HOLDS  # six calm ones are enough


def test_what_was_not_measured_has_no_verdict():
    assert {judge(None, direction) for direction in ("more", "less", "alike", "not more")} == {MISSING}


def test_a_ratio_is_taken_within_a_round_in_one_cell_and_of_all_rounds_between_cells():
    one, other, elsewhere = row("a", "x", 100, 200), row("a", "y", 50, 100), row("b", "y", 50, 100)
    assert ratio(one, other).shown == (2, 2, 2, ENOUGH)
    assert ratio(one, elsewhere).shown == (2, 1, 4, ENOUGH)
    assert ratio(one, None) is ratio(one, other, "p99_s") is None


def test_a_figure_beside_other_work_is_marked_and_explained():
    busy = row("a", "x", 100, foreign_cores=0.5)
    found = claims.Claim("it is more", "more", lambda _: (None, ratio(busy, row("a", "y", 50)))).judged(result())
    assert found.now == f"2 times {MARK}" and f"{MARK}: disturbed by other programs" in claims.summary([found])
    assert MARK not in claims.summary([found._replace(now="2 times")])


def test_every_verdict_is_counted():
    found = [claims.Judged("", "", "", it) for it in (HOLDS, HOLDS, FAILS, PARTLY, OPEN, f"{OPEN} on 2", MISSING)]
    told = claims.summary(found)
    assert told == (
        "Of 7 claims of the article, 2 hold here, 1 does not, 1 holds in part, 2 are undecided and 1 was not measured."
    )
    against = claims.Judged("", "", "", f"{AGAINST} on 2 processors")
    assert claims.summary([found[0], against, against]) == (
        "Of 3 claims of the article, 1 holds here and 2 are contradicted on 2 processors."
    )
    assert claims.summary([found[2], against]) == (
        "Of 2 claims of the article, 0 hold here, 1 does not and 1 is contradicted on 2 processors."
    )


def test_questions_that_are_not_the_articles_are_not_counted_among_its_claims():
    found = [claims.Judged("", "2 times", "", HOLDS), claims.Judged("", claims.OURS, "", FAILS)]
    told = "Of 1 claims of the article, 1 holds here and 0 do not. 1 more is not in the article."
    assert claims.summary(found) == told


def test_a_ratio_of_several_rounds_shows_how_far_they_are_apart():
    known = [Interval(*it) for it in ((1.0, 0.8, 1.2, 6), (1.004, 0.998, 1.01, 6), (0.577, 0.57, 0.59, 6))]
    assert [str(Ratio(it, it)) for it in known] == ["1 (0.8 to 1.2) times", "1 times", "0.58 (0.57 to 0.59) times"]


# The articles.


def granian(python, cell, name, *goodputs, **more):
    return row(cell, name, *goodputs, python=python, parameters={"server": "granian"}, **more)


def test_on_few_processors_a_scaling_that_is_not_seen_says_nothing_but_its_contrary_is_told():
    def of(cpus, without):
        both = [
            granian(it, "granian", "wsgi W1 /json", *rates) for it, rates in (("3.14", (100, 100)), ("3.14t", without))
        ]
        return verdict(claims.judged("gil-free", result(*both, cpus=cpus)), "WSGI, one worker with 64 threads, `/json`")

    assert of(2, (98, 102)) == of(2, (50, 150)) == f"{OPEN} on 2 processors"
    assert of(2, (50, 60)) == f"{AGAINST} on 2 processors"
    assert of(2, (300, 350)) == HOLDS
    assert of(8, (50, 60)) == FAILS and of(8, (98, 102)) == OPEN


def test_on_few_processors_threads_that_beat_workers_contradict_that_both_are_as_good():
    def of(cpus, *rates):
        names = ("wsgi W1 T4 /json", *rates), ("wsgi W4 T1 /json", 100, 100)
        found = [granian("3.14t", "granian-shares", name, *of_one) for name, *of_one in names]
        told = claims.judged("gil-free", result(*found, cpus=cpus))
        return verdict(told, "WSGI without the GIL, `/json`: as many answers from four")

    assert of(2, 120, 130) == f"{AGAINST} on 2 processors" and of(8, 120, 130) == FAILS
    assert of(2, 90, 130) == f"{OPEN} on 2 processors" and of(2, 100, 110) == HOLDS


def test_the_articles_ratio_stands_beside_ours():
    now = [granian(it, "granian", "asgi W1 /json", value, value) for it, value in (("3.14", 100), ("3.14t", 90))]
    then = [
        row("granian", f"asgi W1 /json on {it}", value, kind="past", parameters={"server": "granian", "python": it})
        for it, value in (("3.14", 30_415), ("3.14t", 24_218))
    ]
    (found,) = [
        it for it in claims.judged("gil-free", result(*now, *then)) if it.what.startswith("ASGI, one worker, `/json`")
    ]
    assert found[1:] == ("0.8 times", "0.9 times", HOLDS)


def stacked(**rates):
    """Rows of the stack, with two rounds each: goodput and P99 of a sync and of an async server."""
    for (name, model), (rate, p99) in zip(
        (("gunicorn sync, flask", "processes"), ("uvicorn, starlette", "asyncio")), rates.values(), strict=True
    ):
        yield row("workers-1", name, rate, rate, model=model, p99_s=p99, killed=0, left_processes=0)


def test_the_claims_on_async_are_judged_by_the_rows_of_the_article():
    found = claims.judged("async", result(*stacked(sync=(1000, 0.1), others=(2000, 0.05))))
    assert verdict(found, "No async server gives more") == FAILS
    assert verdict(found, "The lowest P99 of an async") == FAILS
    assert verdict(found, "Every async framework misbehaved") == FAILS
    assert verdict(found, "uvloop is faster") == MISSING
    opposite = claims.judged("async", result(*stacked(sync=(2000, 0.05), others=(1000, 0.1))))
    assert verdict(opposite, "No async server gives more") == verdict(opposite, "Every async server's P99") == HOLDS


def test_a_server_that_had_to_be_killed_misbehaved():
    rows = row("workers-1", "uvicorn, starlette", 10, killed=1), row("workers-1", "hypercorn, starlette", 10, killed=0)
    found = claims.misbehaved(result(*rows))
    assert (found.verdict, found.now) == (PARTLY, "uvicorn, starlette, of 2 servers")


def test_the_order_turns_over_where_a_pair_changes_places():
    rows = [row(f"delay-{ms}", name, value) for ms, values in ((0, (300, 100)), (20, (50, 200)))
            for name, value in zip(("a", "b"), values, strict=True)]  # fmt: skip
    found = claims.order(result(*rows))
    assert (found.verdict, found.now.count("times")) == (HOLDS, 2)
    same = [row(f"delay-{ms}", name, value) for ms in (0, 20) for name, value in (("a", 2), ("b", 1))]
    assert claims.order(result(*same)).verdict == FAILS


@pytest.mark.parametrize(
    ("of_two", "of_four", "best"),
    [((90, 102), (100,), 2), ((80, 102), (100,), 4), ((90, 102), (80, 104), 2), ((60, 200), (100,), 2)],
)
def test_the_fewest_workers_whose_median_comes_near_the_greatest_median_are_taken(of_two, of_four, best):
    rates = {1: (50, 60), 2: of_two, 4: of_four}
    rows = [row(f"workers-{number}", "a", *it, parameters={"workers": number}) for number, it in rates.items()]
    found = result(*rows)
    assert stack.best(stack.curves(found)["a"]) == best


def test_every_server_of_the_article_is_on_one_side():
    there = [known[name].model for known in [rows.rows()] for name in past.TABLE if not known[name].why_not]
    assert len(there) == 10 and set(there) == {"processes", "asyncio", "gevent"}


# Tables.


def test_the_tables_have_a_line_for_each_server():
    why = LeftOut("web", "workers-1", "vibora", "3.14", False, "it is gone")
    found = result(
        row("workers-1", "gunicorn sync, flask", 10, model="processes", p99_s=0.5, parameters={"workers": 1}),
        row("workers-1", "uvicorn, starlette", 9, parameters={"workers": 1}),
        row("workers-2", "uvicorn, starlette", 10, parameters={"workers": 2}),
        row("delay-0", "asyncio", 10, kind="model", parameters={"workers": 1}),
        row("delay-20", "asyncio", 8, kind="model", parameters={"workers": 1}),
        row(past.CELL, "gunicorn sync, flask", 20, kind="past", p99_s=0.042, parameters={"workers": 14}),
        row("slow", "threads", 10, kind="model", answered_share=0.5),
        row("stop", "threads", 10, kind="model", lost=3, killed=0),
        left_out=[why],
    )
    tables = web_tables.tables(found) | report.tables(found)
    assert "| gunicorn sync, flask | 1 | 10 | 500 ms | 14 | 20 | 42 ms |" in tables["web-stack"]
    assert "| vibora | it is gone | — | — |" in tables["web-stack-gone"]
    assert "| threads | 50% |" in tables["web-slow"] and "| threads | 3 | 100 ms | no |" in tables["web-stop"]
    assert "| asyncio (1) | 10 | 8 |" in tables["web-delay"] and "| 9 | 10 ★ |" in tables["web-workers"]
    assert web_tables.tables(Results([], [], {})) == {}


def test_the_table_of_the_models_has_spreads_marks_and_how_long_was_measured():
    sizes = {"seconds": 3}
    found = result(
        row("json", "threads", 30, 50, kind="model", parameters=sizes),
        row("tail", "threads", 100, 100, kind="model", parameters=sizes, p99_s=0.1, foreign_cores=0.5),
    )
    lines = web_tables.tables(found)["web-summary"].splitlines()
    assert lines[2] == f"| threads | 40 (30 to 50) | — | — | 100 ms {MARK} | — | — |"
    assert lines[3] == "| *rounds × seconds* | 6 × 3 s |  | 6 × 3 s | 6 × 3 s |  |  |"
    assert "| json | 6 × 3 s | 1 | 0 | 0 |" in web_tables.tables(found)["web-quiet"]


def test_a_figure_whose_rounds_lie_far_apart_has_two_digits():
    far, near = row("json", "threads", 36_820, 81_440), row("json", "asyncio", 54_520, 57_840)
    assert [stack.answers(it) for it in (far, near)] == ["59k", "56.2k"]
    assert web_tables.spread(far, "goodput", words.rate) == "59k (37k to 81k)"
    assert web_tables.spread(near, "goodput", words.rate) == "56.2k (54.5k to 57.8k)"
    assert words.rounded(0.0, [0.0, 2.0]) == 0 and words.rounded(123.4, []) == 123.4


def test_answers_per_second_are_the_same_number_everywhere():
    it = row("json", "threads", 80, 40, kind="model")
    assert it.per_second == it.figure("goodput") == 60 and it.figure("seconds") == it.median == 1 / 60


def test_what_no_page_ranks_has_two_rounds_or_three():
    single = [it for it in web.candidates(False) if it.cell in ("idle", "slow", "stop") or it.cell.startswith("rate-")]
    assert {it.rounds for it in single} == {2, 3} and {it.sizes["seconds"] for it in single} == {2, 3, 3.5}


def test_a_page_says_where_its_figures_are_from():
    told = " ".join(about.sentences("web", result(row("json", "threads", 10, foreign_cores=1))))
    assert (
        "of 2026-11-23," in told
        and "3.14.8 with the GIL" in told
        and "1 of 1 rows had a round that other work disturbed or that the load generator limited; in the tables these"
        f" have a {MARK}."
        in told
    )


def test_a_page_says_which_code_its_figures_are_of_and_in_how_many_runs():
    old = result(row("json", "threads", 10))
    old.about["command"] = "one && another"
    assert "of a commit that was not recorded, in 2 runs." in " ".join(about.sentences("web", old))
    old.about["machine"] |= {"commit": 40 * "a", "changed_files": True}
    old.about["command"] = "one"
    told = " ".join(about.sentences("web", old))
    assert f"of commit {12 * 'a'} with changes that were not committed, in 1 run." in told


def test_a_page_says_whether_the_models_have_changed_since(monkeypatch):
    found = result(row("json", "threads", 10))
    assert about.since(found) == ""
    found.about["machine"] |= {"commit": "known"}
    for count, said in ((0, " The models have not changed since."), (1, " The models have changed in 1 commit since.")):
        monkeypatch.setattr(about, "commits_since", lambda *_, it=count: it)
        assert about.since(found) == said
    monkeypatch.setattr(about, "commits_since", lambda *_: None)
    assert about.since(found) == ""


def test_a_page_says_how_far_rounds_are_apart():
    rows = [replace(row("json", str(number), 10), seconds={1: 1.0, 2: 1 + number / 10}) for number in range(11)]
    assert about.noise(Results(rows, [], {})) == (
        "Each row has 2 rounds; in half of the rows the slowest one took at least 50% more than the fastest, in a tenth"
        " at least 90%."
    )


def test_a_page_says_if_a_peer_passed_on_fewer_messages():
    ours = replace(row("stream", "threads", 10, kind="model"), suite="ring", parameters={"messages": 10_000})
    theirs = replace(ours, candidate="queue.Queue", kind="peer", parameters={"messages": 200})
    (said,) = about.smaller(Results([ours, theirs], [], {}))
    assert said.startswith("In ring/stream 1 queue passed on fewer messages than ours")
    assert not list(about.smaller(Results([ours, replace(theirs, parameters=ours.parameters)], [], {})))


def test_of_every_result_a_page_says_in_how_many_runs_it_was_measured_and_of_which_code():
    named = {found for path in PAGES for found in re.findall(r"^```\{about-result\} ?(\S*)$", path.read_text(), re.M)}
    assert named == set(results.FILES)


def test_a_result_that_is_missing_is_told_with_its_command():
    assert about.command("web-twins") == "python -m benchmarks run web --twins"


# Results that are not there.


def test_a_result_that_pages_can_do_without_is_no_mistake(monkeypatch, tmp_path):
    for variable in ("CONCMODELS_WEB_RESULT", "CONCMODELS_TWINS_RESULT"):
        monkeypatch.setenv(variable, str(tmp_path / "none.json"))
    with pytest.raises(NotMeasured, match=ABSENT):
        figures.measured("web:web/tail/threads")
    with pytest.raises(Mistake, match="there is no measured result"):
        figures.measured("twins:ring/stream/threads")


@pytest.mark.timeout(250)  # to build a site takes seconds of a processor, for which it may have to wait
@pytest.mark.parametrize("file", ["none.json", "benchmarks/results/full.json"])
def test_a_page_builds_without_a_result_of_web_services(tmp_path, file):
    source = tmp_path / "source"
    source.mkdir()
    (source / "index.md").write_text(PAGE)
    none = {"CONCMODELS_WEB_RESULT": str(ROOT / file), "CONCMODELS_WEB_TWINS_RESULT": str(ROOT / file)}
    arguments = ("-q", "-n", "-W", "-c", ROOT / "docs", source, tmp_path / "html")
    done = preloaded.run("sphinx", *arguments, cwd=ROOT, env=os.environ | none, imports=preloaded.SPHINX)
    assert done == (0, "")
    text = re.sub(r"<[^>]*>", "", (tmp_path / "html" / "index.html").read_text())
    assert text.count("(not measured)") == 3 and text.count("so this page has no figures") == 1


def references():
    """The roles, charts and tables of results of web services on all pages."""
    for path in PAGES:
        text = path.read_text()
        for kind, name in re.findall(r"\{(measured|ratio)\}`(web(?:-twins)?:[^`]*)`", text):
            yield path, kind, name.replace("\\|", "|")
        for kind, name in re.findall(r"^[`:]{3,}\{(chart|result-table)\} (web(?:-twins)?:\S+)$", text, re.MULTILINE):
            yield path, kind, name


def test_every_figure_chart_and_table_of_web_services_is_in_the_committed_results():
    of_web = [name for name, (suite, _) in results.OPTIONAL.items() if suite == "web"]
    if not all(results.path(name).exists() for name in of_web):
        pytest.skip("there is no committed result of web services")
    known = {name: results.results(name) for name in of_web}
    charts = {f"{name}:{it.name}" for name, found in known.items() for it in report.charts(found)}
    tables = {f"{name}:{it}" for name, found in known.items() for it in report.tables(found) | web_tables.tables(found)}
    named = list(references())
    assert len(named) > 30
    for path, kind, name in named:
        if kind in ("chart", "result-table"):
            assert name in (charts if kind == "chart" else tables) or name == "web:left-out", (path, name)
        else:
            assert (figures.measured if kind == "measured" else figures.ratio)(name), (path, name)


# Programs.


@pytest.mark.docs
@pytest.mark.parametrize("name", catalog.names())
def test_the_service_runs_on_every_model_whose_tasks_share_their_memory(name, tmp_path):
    if name in ("processes", "subinterp"):
        pytest.skip("its clients could not add to one list")
    if reason := catalog.why_not(name):
        pytest.skip(f"{name}: {reason}")
    file, model = ("awaited", "asyncio") if catalog.facts(name).is_async else ("plain", "threads")
    program = tmp_path / "program.py"
    program.write_text((ROOT / f"examples/web/{file}.py").read_text().replace(model, name))
    done = interruptible.run([sys.executable, str(program)], cwd=ROOT, timeout=50)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "50 answers, sooner than one after the other\n"


@pytest.mark.docs
def test_requests_at_once_are_told_for_threads_and_for_asyncio():
    program = str(ROOT / "examples" / "web" / "at_once.py")
    for way in ("threads", "patient", "asyncio"):
        done = interruptible.run([sys.executable, program, way, "100"], cwd=ROOT, timeout=50)
        assert (done.returncode, done.stderr) == (0, "")
        assert re.fullmatch(
            rf"{way} +100 requests: all after -?\d+[.]\d+ s, P99 -?\d+[.]\d+ s, +\d+ MiB\n", done.stdout
        )
