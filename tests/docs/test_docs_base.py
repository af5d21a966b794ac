"""The site's own directives: what they put on a page, and what they say of a writer's mistakes."""

import io
import itertools
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import preloaded
import pyperf
import pytest

from benchmarks.record import Record

pytestmark = pytest.mark.timeout(250)  # to build a site takes seconds of a processor, for which it may have to wait

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs" / "_ext"))
pytest.importorskip("sphinx")

from concdocs import (  # noqa: E402 - found only now
    bars,
    differences,
    docstrings,
    drawing,
    idioms,
    options,
    results,
    side_by_side,
)

SECONDS = {"ring/stream/threads": 62e-9, "ring/stream/trio": 124e-9, "ring/token/threads": 20e-6}
DISTURBED = "ring/token/threads"

BUILD = {"version": "3.14.7", "gil_disabled": False, "compiler": "A compiler", "configure": [], "optimisation": "-O3"}
PYTHONS = {
    "3.14": {"version": "3.14.7", "gil": True, "build": BUILD},
    "3.14t": {
        "version": "3.14.7",
        "gil": False,
        "build": BUILD | {"gil_disabled": True, "configure": ["--disable-gil"]},
    },
}

GOOD = """\
# Page

```{code-of} tests/docs/docs_base/plain.py
:object: main
:mark: send | receive
```
```{output-of}
:command: python -c "import os; print('wide', os.environ['COLUMNS']); raise SystemExit(3)"
:status: 3
```
:::{predict} What does `await` change?
*Who may run.*
:::
```{in-all-models} tests/docs/docs_base/plain.py tests/docs/docs_base/awaited.py
:only: threads trio
:output:
```
```{in-all-models} tests/docs/docs_base/plain.py
:only: gevent
:object: main
```
```{pages}
other: says *one* thing.
```
```{pages} more
inside: is in a folder.
```
```{changes} tests/docs/docs_base/changes.md
```
{measured}`ring/stream/threads`; {measured}`ring/stream/threads|per_second`;
{measured}`ring/stream/threads|parameter nodes` nodes;
{measured}`ring/stream/threads|figure peak_pss_bytes`; {ratio}`ring/stream/trio / ring/stream/threads`.

{measured}`ring/token/threads|spread`; {measured}`twins:ring/stream/threads|short`,
{measured}`twins:ring/stream/threads@3.14t|spread`,
{measured}`twins:ring/stream/threads@3.14t|figure peak_pss_bytes spread`,
{ratio}`twins:ring/stream/threads@3.14t / twins:ring/stream/threads|spread`,
{ratio}`twins:ring/stream/threads@3.14t / twins:ring/stream/threads|figure peak_pss_bytes`.

```{bars} ring/stream
```
```{chart} ring-stream
```
```{chart} twins:gil-3.14t
```
```{result-table} twins:left-out
```
```{builds} twins
```
```{about-result} twins
```
```{machines}
```
```{machines} ring/stream
```
```{chart} pool-workers
:otherwise: There is no chart of *that* yet.
```
```{result-table} pool-workers
:otherwise: Nor a table.
```
```{facts} subinterp
```
```{compare-models}
:only: A task is
```
```{side-by-side} threads trio
```
```{idioms} pipeline asyncio trio
```
```{same-in} pipeline
:libraries: futures asyncio
One after the other.
```
```{command} concmodels.ring
```
```{drawing} One sends to the other
rankdir=LR
one -> other [color=accent]
```
```{trace} A <staircase> of arrows
:of: examples/traces/ring.py
:args: greenlet
:title: A ring
:caption: *Three* times
:tables: critical path
:beside:
```
```{schedule} examples/races/lost_update_broken.py
```
```{eval-rst}
.. automodule:: concmodels.errors
   :members:
.. autoclass:: concmodels.contract.Pool
   :members: submit
```
"""

MISTAKES = {
    "```{in-all-models} tests/docs/docs_base/plain.py\n:object: none\n```": "the program has no function 'none'",
    "```{code-of} examples/none.py\n```": "there is no file examples/none.py in the project",
    "```{code-of} ../../etc/passwd\n```": "there is no file ../../etc/passwd in the project",
    "```{code-of} tests/docs/docs_base/plain.py\n:mark: nowhere\n```": "no shown line contains 'nowhere'",
    "```{code-of} tests/docs/docs_base/plain.py\n:object: none\n```": "Object named 'none' not found",
    '```{output-of}\n:command: python -c "raise SystemExit(3)"\n```': "ended with status 3 instead of 0",
    '```{output-of}\n:command: python -c "import time; time.sleep(9)"\n:seconds: 0.2\n```': "takes longer than 0.2 sec",
    "{measured}`ring/stream/none`": "has no row ring/stream/none; it has in ring/stream the candidates threads, trio",
    "{measured}`ring/stream/threads|figure none`": "has no figure 'none'",
    "{measured}`ring/stream/threads|wide`": "'wide' is none of: per_second, short, spread, figure NAME",
    "{measured}`twins:ring/stream/none`": "twins.json has no row ring/stream/none; it has in ring/stream",
    "{ratio}`ring/stream/threads`": "is no ratio",
    "{ratio}`ring/stream/trio / ring/stream/threads|wide`": "'wide' is none of: spread, figure NAME",
    "{ratio}`ring/stream/trio / ring/stream/threads|figure none`": "have no none to compare",
    "```{builds} others\n```": "there is no result 'others'; there are twins",
    "```{chart} none\n```": "the report has no chart none; it has",
    "```{machines} ring/none\n```": "have a candidate of ring/none in common; they have ring/stream",
    "```{facts} trioo\n```": "there is no model 'trioo': did you mean trio? There are trio",
    "```{side-by-side} threads none\n```": "there is no model 'none'",
    "```{idioms} pipeline none trio\n```": "idioms.toml has no 'none'; it has threading, futures",
    "```{same-in} pipeline\n:libraries: none\n```": "idioms.toml has no 'none'; it has threading, futures",
    "```{same-in} none\n```": "idioms.toml has no 'none'; it has worker_pool, pipeline",
    "```{command} concmodels.catalog\n```": "reads no arguments with argparse",
    "```{drawing} nothing\na -> \n```": "Graphviz can't draw this",
    "```{trace} nothing\n```": "needs `:command:`, or a file in `:of:`",
    "```{trace} nothing\n:command: python none.py\n```": "needs the word FILE",
    "```{trace} nothing\n:command: python -m concmodels FILE\n```": "ended with status 2 instead of 0",
    "```{schedule} examples/races/lost_update_fixed.py\n```": "holds, so there is no schedule to show",
}


def result_file(path):
    """A result with these rows."""
    record = Record(path, command="x", quick=False, wanted=3, machine={}, pythons={})
    for name, seconds in SECONDS.items():
        stolen = {"figure_steal": 0.5} if name == DISTURBED else {}
        record.add(run_of(name, seconds, python="3.14", gil="on", **stolen))
    record.finish(True)
    return path


def twins_file(path):
    """A result of two Pythons, in two rounds."""
    record = Record(path, command="x", quick=False, wanted=1, machine={}, pythons=PYTHONS)
    for number, (first, second) in enumerate([(50e-9, 100e-9), (70e-9, 280e-9)], 1):
        record.add(run_of("ring/stream/threads", first, python="3.14", gil="on", round=number))
        more = {"round": number, "figure_peak_pss_bytes": 2**22 * number}
        record.add(run_of("ring/stream/threads", second, python="3.14t", gil="off", **more))
    record.finish(True)
    return path


def run_of(name, seconds, **more):
    """What a worker writes."""
    suite, cell, candidate = name.split("/")
    about = {"name": f"{name}@{more['python']}", "suite": suite, "cell": cell, "candidate": candidate, "kind": "model"}
    about |= {"model": candidate, "round": 1, "step": "hop", "inner_loops": 10, "unit": "second"}
    about |= {"parameters": '{"nodes": 300}', "libraries": "{}", "figure_peak_pss_bytes": 2**21}
    text = io.StringIO()
    pyperf.Benchmark([pyperf.Run([seconds], metadata=about | more, collect_metadata=False)]).dump(text)
    return text.getvalue()


def built(folder, page, *options):
    """Build a site of this one page; return the exit status, what was said, and the page."""
    source = folder / "source"
    source.mkdir()
    (source / "index.md").write_text(page)
    (source / "other.md").write_text("# The other page\n")
    (source / "more").mkdir()
    (source / "more" / "inside.md").write_text("# The page inside\n")
    results = {
        "CONCMODELS_RESULT": str(result_file(folder / "result.json")),
        "CONCMODELS_TWINS_RESULT": str(twins_file(folder / "twins.json")),
    }
    arguments = ("-q", "-n", "-c", ROOT / "docs", *options, source, folder / "html")
    done = preloaded.run("sphinx", *arguments, cwd=ROOT, env=os.environ | results, imports=preloaded.SPHINX)
    return *done, (folder / "html" / "index.html").read_text()


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    status, said, html = built(tmp_path_factory.mktemp("good"), GOOD, "-W")
    assert (said, status) == ("", 0)
    return html


@pytest.fixture(scope="module")
def complaints(tmp_path_factory):
    return built(tmp_path_factory.mktemp("bad"), "# Page\n\n" + "\n\n".join(MISTAKES))[1]


def test_a_part_of_a_file_is_shown_with_its_lines_marked(page):
    assert "tests/docs/docs_base/plain.py: main" in page
    assert re.findall(r'class="hll">\s*(.*)', page)[0].count("channel") == 1
    assert len(re.findall(r'class="hll"', page)) == 2


def test_the_output_of_a_run_is_shown_with_its_command(page):
    text = re.sub(r"<[^>]*>", "", page)
    assert "$ python -c" in text and "wide 88" in text


def test_an_answer_is_folded_without_scripts(page):
    assert re.search(r'<details class="predict"><summary>.*What does <code.*</summary>', page)
    assert "<em>Who may run.</em>" in page.partition('<details class="predict">')[2].partition("</details>")[0]


def test_each_model_has_its_tab_with_its_own_name_in_the_program(page):
    tabs = page.partition("in-all-models")[2].partition("the same in")[0]
    assert re.findall(r'data-sync-group="model" data-sync-id="(\w+)"', tabs) == ["threads", "trio", "gevent"]
    text = re.sub(r"<[^>]*>", "", page)
    assert 'model = load("threads")' in text and 'model = load("trio")' in text
    assert len(re.findall(r"^sent$", text, re.MULTILINE)) == 2


def test_one_function_of_a_program_is_shown_alone(page):
    tab = re.sub(r"<[^>]*>", "", page.partition('data-sync-id="gevent"')[2].partition("data-sync-id")[0])
    assert "def main(" in tab and "load(" not in tab.partition("pages")[0].partition("The other page")[0]


def test_a_list_of_pages_has_a_sentence_for_each(page):
    link = r'<a [^>]*href="other.html"><span[^>]*>The other page</span></a>'
    assert re.search(rf"<li><p>{link}: says <em>one</em> thing", page)


def test_a_list_of_pages_may_be_of_a_folder_inside(page):
    link = r'<a [^>]*href="more/inside.html"><span[^>]*>The page inside</span></a>'
    assert re.search(rf"<li><p>{link}: is in a folder", page)
    listed = page.partition("The page inside")[0].rpartition("<ul")[2]
    assert "other.html" not in listed


def test_the_changes_of_a_version_are_folded_by_subject(page):
    folds = re.findall(r"<details.*?</details>", page, re.DOTALL)
    texts = [re.sub(r"<[^>]*>|\s+", " ", it).split() for it in folds if "Pools (1)" in it or "Channels (2)" in it]
    assert [it[:2] for it in texts] == [["Channels", "(2)"], ["Pools", "(1)"]]
    assert "faster." in texts[0] and "faster." not in texts[1]
    assert re.search(r"<h2>0\.2", page) and "The first version." in page and not any("first" in it for it in texts)


def test_figures_come_from_the_result(page):
    text = re.sub(r"<[^>]*>", "", page)
    assert "62 ns per hop; 16,100,000 hops per second;\n300 nodes;\n2.0 MiB; 2.0 times." in text


def test_figures_of_the_other_result_have_their_spread(page):
    text = re.sub(r"<[^>]*>", "", page)
    assert "20 µs†; 60 ns,\n190 ns (100 ns to 280 ns),\n6.0 MiB (4.0 MiB to 8.0 MiB)," in text
    assert "\n3.0 (2.0 to 4.0) times,\n3.0 (2.0 to 4.0) times." in text


def test_results_of_machines_stand_beside_each_other(page):
    text = re.sub(r"<[^>]*>", " ", page)
    assert re.search(r"A1\s+result\.json", text) and re.search(r"A2\s+twins\.json", text)
    assert re.search(r"A1, 3\.14\s+times as fast as threads\s+A2, 3\.14\s", text)
    assert "Ahead in every column: undecided." in text  # in one round each


def test_what_was_not_measured_yet_says_so_in_its_place(page):
    assert "There is no chart of <em>that</em> yet." in page and "Nor a table." in page


def test_a_figure_of_a_disturbed_round_has_a_mark_that_says_why(page):
    assert re.search(r'<span class="measured">20 µs<abbr title="Other programs or the host[^"]*">†</abbr></span>', page)
    assert page.count("†</abbr>") == 1 and '<span class="measured">300</span> nodes' in page


def test_the_builds_of_the_other_result_are_told(page):
    text = re.sub(r"<[^>]*>", "", page)
    assert "--disable-gil" in text and "built by one compiler with the same flags" in text
    assert "Everything that was chosen for this run was measured." in text and "twins-gil-3.14t-light-wide.svg" in page


def test_a_chart_has_a_picture_for_every_look_and_words_for_those_who_do_not_see_it(page):
    for brightness in ("light", "dark"):
        narrow, wide = f"ring-stream-{brightness}-narrow.svg", f"ring-stream-{brightness}-wide.svg"
        assert re.search(
            rf'<picture class="look-{brightness}"><source [^>]*{narrow}"><img src="_charts/{wide}" alt="[^"]', page
        )
    assert "Measured with <code" in page
    title = "62 ns to 124 ns a hop; 1 round can.t tell which is first"
    assert re.search(rf'<figure class="chart[^>]*>\s*<figcaption>{title}</figcaption>\s*<picture', page)


def test_the_catalog_is_on_the_page(page):
    text = re.sub(r"<[^>]*>", "", page)
    assert "a subinterpreter with its own modules and its own GIL, if any, in an OS thread" in text
    assert "a trio task around a coroutine" in text and "rawthreads:polling" in text


def test_all_programs_of_all_tasks_are_on_the_page_folded(page):
    for task in idioms.listed()[1].values():
        folded = page.partition(f'<details data-task="{task.name}"')[2].partition("<details data-task=")[0]
        assert re.findall(r'<details data-library="(\w+)">', folded) == list(idioms.listed()[0])
        assert len(re.findall(r"examples/idioms/\w+/\w+\.py", folded)) == 10 - len(task.without)


def test_a_fold_out_has_a_program_or_a_reason_for_each_library(page):
    folded = page.partition("the same in concurrent.futures / asyncio")[2].partition("</details>")[0]
    text = re.sub(r"<[^>]*>", "", folded)
    assert "One after the other." in text and "no channel between calls" in text and "asyncio.QueueShutDown" in text
    assert "side-by-side.html#pipeline/futures/asyncio" in folded


def test_a_trace_is_drawn_for_a_wide_page_and_for_a_phone_with_its_table(page):
    figure = page.partition("trace-picture")[2].partition("</figure>")[0]
    for size in ("wide", "narrow"):
        assert f'class="trace trace-{size}" role="img" aria-label="A &lt;staircase&gt; of arrows"' in figure
    assert ">A ring</text>" in figure and "<em>Three</em> times" in figure and "@media" not in figure
    text = re.sub(r"<[^>]*>", "", page)
    assert "critical path" in text and "who waited" not in text


def test_a_schedule_that_breaks_a_program_is_shown(page):
    shown = page.partition('<ol class="schedule"')[2].partition("</ol>")[0]
    assert shown.count("<li") == 4 and shown.count('<li class="forced"') == 1


def test_the_options_are_those_of_the_parser(page):
    assert "--in-flight N|all" in re.sub(r"<[^>]*>", "", page)
    assert [it.option_strings for it in options.parser_of("benchmarks")._actions] == [["-h", "--help"], []]


def test_a_protocol_is_shown_without_arguments_and_its_methods_with_theirs(page):
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", page))
    assert re.search(r"class Pool ?¶", text) and re.search(r"submit\( ?fn: Callable", text)


def test_docstrings_are_read_as_they_are_written(page):
    assert '<span class="pre">__cause__</span>' in page
    lines = ["Takes `*args` and 2 * 3 *more*.", "", "    x = 1", "", "* a list, name_", "    its line"]
    assert docstrings.translate(lines) == [
        "Takes ``*args`` and 2 * 3 \\*more\\*.", "", "::", "", "    x = 1", "", "* a list, name\\_", "    its line",
    ]  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_a_warning_that_says_where(complaints, mistake):
    if "{drawing}" in mistake:
        pytest.importorskip("pygraphviz")
    assert re.search(rf"index\.md:\d+: WARNING: [\w-]+: [^\n]*{re.escape(MISTAKES[mistake])}", complaints), complaints


def test_the_sources_of_any_two_models_are_put_together_whole(thorough):
    """Also of one and the same; without `--thorough`, one of two stands always on the left."""
    sources = [path.read_text() for path in side_by_side.model_paths(beyond=True).values()]
    pairs = itertools.product(sources, repeat=2) if thorough else itertools.combinations_with_replacement(sources, 2)
    for left, right in pairs:
        here, there = [], []
        for same, a, b, c, d in differences.hunks(left, right):
            here += left.splitlines()[a:b]
            there += right.splitlines()[c:d]
            assert not same or left.splitlines()[a:b] == right.splitlines()[c:d]
        assert (here, there) == (left.splitlines(), right.splitlines())


def test_definitions_of_one_name_are_beside_each_other():
    left = "def first():\n    return 1\n\n\ndef last():\n    return 2\n"
    right = "def last():\n    return 1\n"
    assert differences.hunks(left, right) == [(0, 0, 4, 0, 0), (1, 4, 5, 0, 1), (0, 5, 6, 1, 2)]


def test_highlighting_is_whole_on_every_line():
    lines = side_by_side.highlighted('"""Two\nlines <of> words."""\n\nx = 1\n')
    assert len(lines) == 4 and all(line.count("<span") == line.count("</span>") for line in lines)
    assert "&lt;of&gt;" in lines[1]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(62.3e-9, "62 ns"), (2.34e-6, "2.3 µs"), (0.99999e-6, "1.0 µs"), (9.97e-3, "10 ms"), (3, "3.0 s")],
)
def test_durations_have_two_digits(seconds, words):
    assert results.duration(seconds) == words


def test_bars_on_a_log_axis_keep_the_smallest_visible():
    shares = bars.shares([1e-7, 1e-6, 1e-5], linear=False)
    assert 0.1 < shares[0] < shares[1] < shares[2] == 1
    assert bars.shares([1, 4], linear=True) == [0.25, 1]


def test_a_drawing_has_the_colours_of_the_page_and_words_for_those_who_do_not_see_it():
    pytest.importorskip("pygraphviz")
    svg = drawing.svg("a -> b [color=accent]", "a sends to b", "dot")
    assert svg.startswith('<svg role="img" aria-label="a sends to b"')
    assert "var(--drawing-accent)" in svg and "<title>" not in svg
    assert not re.search(r'(fill|stroke)="#', svg)


def test_the_server_says_where_it_is_and_ends_with_control_c(tmp_path):
    (tmp_path / "index.html").write_text("shown")
    line = [sys.executable, ROOT / "tools" / "serve.py", tmp_path, "--port", "0"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        address = re.search(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())[0]
        assert urllib.request.urlopen(address, timeout=50).read() == b"shown"
        server.send_signal(2)
        assert (server.wait(50), server.stderr.read()) == (0, "")


def test_a_folder_without_pages_is_refused_with_a_sentence(tmp_path):
    line = [sys.executable, ROOT / "tools" / "serve.py", tmp_path]
    done = subprocess.run(line, capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 2 and done.stderr.endswith("has no index.html; `make docs` builds the docs\n")
