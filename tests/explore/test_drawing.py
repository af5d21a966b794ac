"""The picture of a failure as HTML: lanes, switches, and the lines as text."""

import re

from concmodels.explore import explore
from concmodels.explore.failures.drawing import drawing
from concmodels.explore.failures.moment import Moment
from concmodels.explore.failures.picture import rows_of


def text(html):
    return [re.sub(r"\s+", " ", re.sub("<[^>]+>", "", item)).strip() for item in re.findall("<li.*?</li>", html)]


def test_it_says_what_the_picture_says():
    failure = explore("examples/races/lost_update_broken.py").failure
    html = drawing(rows_of(failure.moments))
    assert text(html) == [
        "Thread-1 (visit) 14 visitors += 1",
        "Thread-2 (visit) (after a forced switch) 14 visitors += 1",
        "Thread-1 (visit) 14 visitors += 1",
        "main 23 assert visitors == 2, f&quot;two came, {visitors} counted&quot;",
    ]
    assert html.count("switch by-force") == html.count("leaves by-force") == 1
    assert html.count('class="switch') == html.count('class="leaves') == 3
    assert text(drawing(rows_of(failure.moments), 7))[0] == "Thread-1 (visit) 8 visitors += 1"


def test_what_a_program_has_in_it_is_no_markup(tmp_path):
    file = tmp_path / "marked.py"
    file.write_text("x = '<b>' if 1 < 2 else '&'\n")
    row = Moment("0", "<i>task</i>", "read", str(file), 1, False)
    html = drawing([row])
    assert "<i>task" not in html and "&lt;i&gt;task&lt;/i&gt;" in html
    assert "<code>x = &#x27;&lt;b&gt;&#x27; if 1 &lt; 2 else &#x27;&amp;&#x27;</code>" in html


def test_with_steps_it_says_what_a_task_does_in_its_line():
    failure = explore("examples/races/lost_update_broken.py").failure
    rows = [it for it in failure.moments if it.task.startswith("Thread")]
    assert text(drawing(rows, with_steps=True))[:4] == [
        "Thread-1 (visit) begin",
        "Thread-1 (visit) read visitors 14 visitors += 1",
        "Thread-2 (visit) (after a forced switch) begin",
        "Thread-2 (visit) read visitors 14 visitors += 1",
    ]


def test_no_rows_make_an_empty_list():
    assert text(drawing([])) == []
