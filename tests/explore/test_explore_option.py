"""`pytest --explore`: budgets, kept schedules, and what the run says at its end."""

import json
import re
from xml.etree import ElementTree

import pytest
from suites import Suite

from concmodels.explore import kept
from concmodels.explore.budget import LEAST_S, Budget
from concmodels.explore.summary import lines

pytestmark = pytest.mark.timeout(250)  # each starts pytest several times, beside others that do so too
FAILURES = ".pytest_cache/v/concmodels/explore/failures"
HEAD = """
import threading
import time
import pytest

def apart(target):
    threads = [threading.Thread(target=target) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

class Counter:
    def __init__(self):
        self.lock = threading.Lock()
        self.n = 0

    def add(self):
        self.n += 1

    def add_locked(self):
        with self.lock:
            self.n += 1

def broken():
    counter = Counter()
    apart(counter.add)
    assert counter.n == 2

def fixed():
    counter = Counter()
    apart(counter.add_locked)
    assert counter.n == 2

def many():
    counters = [Counter() for _ in range(3)]
    def work():
        for counter in counters * 2:
            counter.add_locked()
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

"""
FIXTURE = """
def test_fixed(explore):
    explore(fixed).must_hold(in_all=True)

def test_sample(explore):
    explore(fixed, schedules=7).must_hold()
"""
BROKEN = """
def test_broken(explore):
    explore(broken).must_hold()
"""
REFUSED = """
def test_refused(explore):
    explore(fixed, search='nothing')

@pytest.mark.explore(in_all=True)
def test_both_ways(explore):
    pass
"""
MARKED = """
@pytest.mark.explore(in_all=True)
@pytest.mark.parametrize("method, expected", [("add_locked", 2), ("add", 2)])
def test_itself(method, expected):
    counter = Counter()
    apart(counter.add_locked if method == "add_locked" else counter.add)
    assert counter.n == expected

@pytest.mark.explore
def test_alone():
    assert isinstance(threading.Lock(), object)

@pytest.mark.explore(in_all=True)
def test_with_a_fixture(tmp_path):
    pass

class TestInClass:
    @pytest.mark.explore
    def test_method(self):
        pass
"""


@pytest.fixture
def suite(tmp_path):
    return Suite(tmp_path)


def cached(suite):
    path = suite.folder / FAILURES
    return json.loads(path.read_text()) if path.exists() else {}


def keep(suite, failures):
    """Put into the cache what a run would have kept."""
    path = suite.folder / FAILURES
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(failures))


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What pytest has said of one test with each verdict, and the root of its JUnit report."""
    suite = Suite(tmp_path_factory.mktemp("told"))
    out = suite(HEAD + FIXTURE + BROKEN + REFUSED, "--junitxml=out.xml")
    return out, ElementTree.parse(suite.folder / "out.xml").getroot()


def test_the_end_says_what_was_proved_and_what_only_sampled(told):
    out, _ = told
    said = "explored: 1 held in all, 1 held so far (7 schedules were not all), 1 broken, 2 refused"
    assert said in out, out
    assert re.search(r"held in all 2 schedules +test_course.py::test_fixed fixed$", out, re.M), out
    assert re.search(
        r"held so far, in 7 schedules +test_course.py::test_sample fixed: 7 schedules were not all$", out, re.M
    ), out
    assert re.search(r"broken, on schedule \d+ +test_course.py::test_broken broken: AssertionError at", out), out
    assert "test_course.py .~FFE" in out


def test_the_marker_and_the_fixture_together_take_no_in_all(told):
    assert "write must_hold(in_all=True)" in told[0]


def test_junit_has_properties(told):
    found = {
        case.get("name"): [(it.get("name"), it.get("value")) for it in case.iter("property")]
        for case in told[1].iter("testcase")
    }
    proved = dict(found["test_fixed"])
    assert proved["explored"] == "fixed: held in all 2 schedules" and proved["explore_verdict"] == "held in all"
    assert int(proved["explore_schedules"]) >= 2 and float(proved["explore_seconds"]) > 0
    assert dict(found["test_sample"])["explore_reason"] == "7 schedules were not all"
    assert found["test_refused"][:2] == [("explored", "fixed: refused"), ("explore_verdict", "refused")]
    assert dict(found["test_broken"])["explore_replay_id"].startswith("3.")


def test_a_test_that_must_hold_in_all_says_which_limit_was_too_low(suite):
    marked = "@pytest.mark.explore(in_all=True, schedules=7)\ndef test_marked():\n    fixed()\n"
    fixture = "def test_it(explore):\n    explore(fixed, schedules=8).must_hold(in_all=True)\n"
    out = suite(HEAD + marked + fixture, "--explore")
    assert "held so far, in 7 schedules\n7 schedules were not all\n" in out, out
    assert re.search(r"held so far, in 8 schedules\nE +8 schedules were not all$", out, re.M), out


def test_without_anything_to_explore_only_the_option_says_so(suite):
    nothing = "explored: nothing: no test that was run has the marker explore, or the fixture of that name"
    assert nothing in suite("def test_it(): pass", "--explore")
    assert "explored" not in suite("def test_it(): pass", "--explore", "--collect-only")


def test_a_marked_test_is_called_once_per_schedule(suite):
    plain = suite(HEAD + MARKED)
    assert "5 passed" in plain and "explored" not in plain, plain
    out = suite(HEAD + MARKED, "--explore")
    assert "held in all 2 schedules" in out and "test_itself[add_locked-2]\n" in out, out
    assert re.search(r"broken, on schedule \d+ +test_course.py::test_itself\[add-2\]: AssertionError", out), out
    assert "test_course.py .F~FF" in out and "3 failed, 2 passed" in out, out
    assert "explored: 1 held in all, 1 not explored, 1 broken, 2 refused" in out
    assert re.search(r"not explored +test_course.py::test_alone: no task was started that the explorer can see", out)
    assert re.search(r"refused +test_course.py::test_with_a_fixture: the fixture tmp_path is made once", out)
    assert re.search(r"refused +test_course.py::TestInClass::test_method: a test in a class can't be explored", out)
    assert "FAILED test_course.py::test_itself[add-2] - Failed: broken, on schedule" in out


def test_a_failing_schedule_is_kept_and_tried_first_until_the_test_holds(suite):
    """In a version that has changed too; `test_the_kept_schedule_is_of_its_exploration` has one that has not."""
    again = "broken again, on the schedule that was kept"
    out = suite(HEAD + BROKEN)
    (replay_id,) = cached(suite)["test_course.py::test_broken"]
    assert f"again: {replay_id}" in out and again not in out
    changed = HEAD.replace("self.n += 1", "self.n = self.n + 1")
    out = suite(changed + BROKEN)
    assert again in out and cached(suite)["test_course.py::test_broken"] != [replay_id], out
    assert again not in suite(HEAD + BROKEN, "--cache-clear")
    assert "explored" not in suite("def test_other(): pass")
    assert cached(suite), "the test has not run"
    assert "held in all" in suite(HEAD.replace("self.n += 1", "with self.lock: self.n += 1", 1) + BROKEN)
    assert not cached(suite)


def test_what_was_kept_and_can_not_be_used_does_no_harm(suite):
    unusable = ["3.13-123456-a-6@2", "3.14-123456-a-!all0.3", "3.14-123456-g-6@2", "nonsense"]
    kept = {f"test_course.py::test_{number}": [it] for number, it in enumerate(unusable)}
    keep(suite, kept)
    out = suite(HEAD + "".join(BROKEN.replace("test_broken", f"test_{number}") for number in range(len(unusable))))
    assert f"explored: {len(unusable)} broken" in out and "again, on" not in out, out
    assert cached(suite).keys() == kept.keys()
    assert not [name for name, ids in cached(suite).items() if ids == kept[name]]


def test_the_kept_schedule_is_of_its_exploration(suite):
    text = HEAD + "\ndef test_both(explore):\n    explore(fixed).must_hold()\n    explore(broken).must_hold()\n"
    suite(text)
    assert cached(suite)["test_course.py::test_both"][0] == ""
    assert "broken again" in suite(text)


def test_budgets(suite):
    """That of the marker goes before that of the command line."""
    text = HEAD + "".join(f"\ndef test_{n}(explore):\n    explore(many).must_hold()\n" for n in range(3))
    marked = "\n@pytest.mark.explore(seconds=0.14)\ndef test_marked(explore):\n    explore(many).must_hold()\n"
    out = suite(text + marked, "--explore-seconds", "0.15")
    found = re.findall(r"(\S+) s were too short for all schedules$", out, re.M)
    assert found == ["0.15"] * 3 + ["0.14"]
    found = re.findall(r"(\S+) s were too short for all schedules$", suite(text, "--explore-total", "0.6"), re.M)
    assert len(found) == 3 and all(0.1 <= float(seconds) <= 0.2 for seconds in found), found
    assert "'0' is no number of seconds above 0" in suite(text, "--explore-total", "0")


def test_a_budget_is_shared():
    budget = Budget(10.0, 2)
    budget.begin_test()
    assert budget.seconds == 5.0
    budget.spend(1.0)
    assert budget.seconds == 4.0, "the test may explore once more"
    budget.begin_test()
    assert budget.seconds == 9.0
    budget.spend(20.0)
    assert budget.seconds == LEAST_S
    budget.begin_test()  # more tests than there were to be: pytest-xdist gave this worker more than its part
    assert budget.seconds == LEAST_S


def test_with_xdist(suite):
    suite(HEAD + BROKEN)
    assert len(cached(suite)) == 1
    arguments = ("-n", "2", "--explore", "--explore-total", "20", "--junitxml=out.xml")
    out = suite(HEAD + FIXTURE + BROKEN + MARKED, *arguments)
    assert (
        "explored: 2 held in all, 1 held so far (7 schedules were not all), 1 not explored, 2 broken, 2 refused" in out
    )
    assert out.count("broken again") == 1, "a worker hears what was kept"
    assert len(cached(suite)) == 2, "and what a worker finds is kept"
    root = ElementTree.parse(suite.folder / "out.xml").getroot()
    assert sum(it.get("name") == "explore_verdict" for it in root.iter("property")) == 8


def test_a_suite_may_have_options_and_markers_of_its_own(suite):
    (suite.folder / "conftest.py").write_text(
        "def pytest_addoption(parser):\n    parser.addoption('--explore', action='store_true', dest='theirs')\n"
    )
    text = "def test_it(pytestconfig): assert pytestconfig.getoption('theirs')"
    assert "1 passed" in suite(text, "--explore")
    marked = "@pytest.mark.explore(in_all=True)\ndef test_fixed():\n    fixed()\n"
    assert "explored: 1 held in all" in suite(HEAD + marked, "--concmodels-explore")


def test_the_file_is_skipped_where_there_is_no_explorer(suite):
    skipped = 'import pytest\npytest.importorskip("{}")\n'
    assert "1 skipped" in suite(skipped.format("concmodels_of_another_python.explore") + HEAD + FIXTURE)
    out = suite(skipped.format("concmodels.explore") + HEAD + FIXTURE, "-v")
    assert "explored: 1 held in all" in out
    assert "test_fixed HELD IN ALL" in out and "test_sample HELD SO FAR" in out, out


def test_lines_are_in_order_of_what_they_say():
    found = [
        ("b", {"label": "f", "verdict": "held so far", "how": "held so far", "why": ["why"]}),
        ("b", {"label": "f", "verdict": "held so far", "how": "held so far", "why": ["another reason"]}),
        ("a", {"label": "a", "verdict": "refused", "how": "refused", "why": ["no"]}),
        ("c", {"label": "c", "verdict": "held in all", "how": "held in all 2 schedules", "why": []}),
    ]
    *shown, numbers = lines(found)
    assert shown[0] == "held in all 2 schedules  c" and shown[3].split(None, 1) == ["refused", "a: no"]
    assert numbers == "explored: 1 held in all, 2 held so far, 1 refused"


def test_what_fails_is_asked_of_the_kept_schedule_alone():
    report, is_kept = kept.explore_again(always, (), "", {})
    assert not is_kept and report.verdict == "broken"
    report, is_kept = kept.explore_again(always, (), report.failure.replay_id, {})
    assert is_kept and report.verdict == "broken" and report.schedules == 0


def always():
    raise RuntimeError
