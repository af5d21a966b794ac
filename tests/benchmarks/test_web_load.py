"""The load generator: what it counts, what it makes of servers with a fault, and how the command ends."""

import dataclasses
import json
import re
import select
import subprocess
import sys
from contextlib import contextmanager
from itertools import islice, pairwise
from pathlib import Path
from random import Random

import pytest
from commands import Program, on_a_terminal, until

from benchmarks.web import schedule
from benchmarks.web.answers import Broken, answer
from benchmarks.web.generate import generate
from benchmarks.web.latencies import histogram, latencies, octaves, percentile
from benchmarks.web.load import command
from benchmarks.web.plan import Kind, Plan, target
from concmodels.programs.output.streams import BadInput

pytestmark = pytest.mark.skipif(not hasattr(select, "epoll"), reason="the load generator needs Linux")

SERVER = Path(__file__).with_name("web_server.py")
PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\nX: y\r\n\r\n"
MODULE = "benchmarks.web.load"


@contextmanager
def server(behaviour):
    """A server in a process of its own; the target that it is."""
    with subprocess.Popen([sys.executable, SERVER, behaviour], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield f"127.0.0.1:{int(process.stdout.readline())}/"
        finally:
            process.kill()


def load(behaviour, path="", **plan):
    """The report of a load on a server with this behaviour."""
    with server(behaviour) as address:
        return generate(Plan(target=target(f"{address}{path}"), **plan))


def at_least(seconds, report):
    """How many latencies are that long."""
    return sum(number for bound, number in report.latencies.histogram.items() if bound >= seconds * 1e6)


# Answers.


@pytest.mark.parametrize("whole", [PLAIN, CHUNKED], ids=["by length", "chunked"])
def test_an_answer_is_complete_at_its_last_byte(whole):
    for end in range(len(whole)):
        assert answer(whole[:end]) is None
    assert answer(whole) == answer(bytearray(whole)) == (200, b"hello", False)


def test_an_answer_without_a_length_ends_with_the_connection():
    text = b"HTTP/1.0 200 OK\r\n\r\nhello"
    assert answer(text) is None
    assert answer(text, ended=True) == (200, b"hello", True)


@pytest.mark.parametrize(
    ("head", "closing"),
    [
        (b"HTTP/1.1 200 OK\r\nConnection: close", True),
        (b"HTTP/1.1 200 OK\r\nConnection: upgrade, Close", True),
        (b"HTTP/1.1 200 OK\r\nConnection: keep-alive", False),
        (b"HTTP/1.0 200 OK", True),
        (b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive", False),
    ],
)
def test_an_answer_says_whether_the_connection_closes(head, closing):
    assert answer(head + b"\r\ncontent-LENGTH: 0\r\n\r\n") == (200, b"", closing)


def test_an_answer_without_content_has_no_body():
    assert answer(b"HTTP/1.1 204 No Content\r\n\r\n") == (204, b"", False)


@pytest.mark.parametrize(
    ("data", "ended", "name"),
    [
        (PLAIN * 2, False, "more than one answer"),
        (CHUNKED + b"x", False, "more than one answer"),
        (b"SSH-2.0\r\n\r\n", False, "no answer of HTTP/1.1"),
        (PLAIN.replace(b"5", b"-5"), False, "a wrong Content-Length"),
        (PLAIN.replace(b"5", b"99999999999999999999"), False, "a wrong Content-Length"),
        (PLAIN.replace(b"5", b"0" * 20 + b"9" * 5000), False, "a wrong Content-Length"),
        (CHUNKED.replace(b"2;", b"g;"), False, "a wrong chunk"),
        (PLAIN[:-1], True, "closed within an answer"),
        (b"", True, "closed without an answer"),
        (b"x" * 2**25, False, "an answer above 16 MiB"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_answer_is_named(data, ended, name):
    with pytest.raises(Broken, match=f"^{name}$"):
        answer(data, ended)


# When requests are due.


def test_even_arrivals_have_one_distance():
    assert list(islice(schedule.arrivals(10, 4, even=True, seed=1), 4)) == [10.25, 10.5, 10.75, 11]


def test_random_arrivals_are_those_of_independent_users():
    """As often before the mean distance as an exponential distribution says, and the same for the same seed."""
    moments = list(islice(schedule.arrivals(10, 100, even=False, seed=7), 20_000))
    gaps = [after - before for before, after in pairwise([10, *moments])]
    assert min(gaps) > 0 and sum(gaps) / len(gaps) == pytest.approx(0.01, rel=0.05)
    assert sum(gap < 0.01 for gap in gaps) / len(gaps) == pytest.approx(0.632, abs=0.02)
    assert moments == list(islice(schedule.arrivals(10, 100, even=False, seed=7), 20_000))
    assert moments != list(islice(schedule.arrivals(10, 100, even=False, seed=8), 20_000))


def test_kinds_come_as_often_as_their_shares_say():
    drawn = list(islice(schedule.kinds((Kind("/a", 0.9), Kind("/b", 0.1)), 1), 20_000))
    assert drawn.count(1) / len(drawn) == pytest.approx(0.1, abs=0.01)


# Latencies.


def test_percentiles_are_exact():
    values = [number / 1000 for number in range(1, 1001)]
    Random(1).shuffle(values)
    found = latencies(values)
    assert (found.p50_s, found.p90_s, found.p99_s, found.max_s) == (0.5, 0.9, 0.99, 1)
    assert found.mean_s == pytest.approx(0.5005)


@pytest.mark.parametrize(("share", "enough"), [(0.5, 20), (0.9, 100), (0.99, 1000), (0.999, 10_000)])
def test_a_percentile_that_could_be_chance_is_missing(share, enough):
    assert percentile([1.0] * enough, share) == 1
    assert percentile([1.0] * (enough - 1), share) is None


def test_no_latency_has_no_figures():
    found = latencies([])
    assert (found.count, found.mean_s, found.p50_s, found.max_s, octaves(found.histogram)) == (0, None, None, None, {})


def test_a_bucket_is_narrow_and_holds_its_values():
    chance = Random(1)
    values = [10 ** chance.uniform(-7, 2) for _ in range(5000)]
    buckets = histogram(values)
    assert sum(buckets.values()) == len(values)
    bounds = list(buckets)
    for value in values:
        microseconds = int(value * 1e6)
        below = max(bound for bound in bounds if bound <= microseconds)
        assert microseconds - below <= below / 32, value


def test_octaves_leave_none_out_between():
    assert octaves({0: 1, 1: 2, 4: 3, 5: 4, 17: 5}) == {0: 1, 1: 2, 2: 0, 4: 7, 8: 0, 16: 5}


# What becomes of requests.


@pytest.mark.parametrize("behaviour", ["at_once", "chunked", "closing", "until_closed", "silently_closing"])
@pytest.mark.parametrize("rate", [None, 400.0], ids=["closed", "open"])
def test_right_answers_are_counted(behaviour, rate, thorough):
    seconds = 0.5 if thorough else 0.2
    report = load(behaviour, connections=8, seconds=seconds, rate=rate, body=b"ok")
    lost = {"closed without an answer", "connection reset by peer", "broken pipe"}
    assert report.errors.keys() <= (lost if behaviour == "silently_closing" else set())
    assert report.answers > 0 and report.unanswered == 0
    assert report.latencies.count == sum(report.latencies.histogram.values()) >= report.answers
    assert (report.reopened > 0) == (behaviour not in ("at_once", "chunked"))
    assert report.goodput == report.answers / seconds


def test_nothing_that_was_due_is_dropped():
    with server("failing") as address:
        report = generate(Plan(target=target(address), connections=4, seconds=1, rate=100.0, even=True, grace_s=0.3))
    names = {"status 503", "closed within an answer", "closed without an answer", "no answer of HTTP/1.1"}
    assert report.errors.keys() >= names - {"closed without an answer"}
    assert report.offered == pytest.approx(99.5, abs=1)
    assert report.latencies.count + sum(report.errors.values()) == round(report.offered)


def test_another_body_is_an_error():
    report = load("at_once", connections=2, seconds=0.2, body=b"no")
    assert report.errors.keys() == {"another body"} and not report.answers


def test_more_than_one_answer_is_an_error():
    report = load("twice", connections=2, seconds=0.3)
    assert "more than one answer" in report.errors


def test_errors_do_not_take_all_the_time():
    """A connection that fails is opened again after a pause."""
    report = load("leaving", connections=2, seconds=0.5)
    assert report.errors.keys() == {"closed without an answer"} and 2 <= report.errors["closed without an answer"] <= 12


def test_kinds_have_latencies_of_their_own():
    plan = {"connections": 4, "seconds": 0.5, "others": (Kind("/other", 0.25),), "rate": 1000.0}
    report = load("by_path", "here", **plan)
    (here, its), (other, none) = report.by_kind
    assert (here.path, here.share, other.path) == ("/here", 0.75, "/other")
    assert its.count == report.latencies.count > 0 == none.count
    assert report.errors["status 404"] / (its.count + report.errors["status 404"]) == pytest.approx(0.25, abs=0.08)


def test_what_is_due_in_the_warm_up_does_not_count():
    report = load("at_once", connections=4, seconds=0.5, warmup_s=0.5, rate=200.0, even=True)
    assert report.latencies.count == pytest.approx(100, abs=2)
    assert report.offered == pytest.approx(200, abs=4)


# Servers with a fault.


def test_the_open_loop_sees_a_server_stand_still():
    """Coordinated omission: who waited meanwhile is in the latencies, however few connections there are."""
    report = load("stall", connections=16, seconds=2.5, rate=1000.0, even=True)
    assert at_least(0.5, report) >= 450 and at_least(0.9, report) >= 80
    assert report.latencies.p99_s > 0.9 and report.unanswered == 0


def test_the_closed_loop_sees_it_once():
    report = load("stall", connections=1, seconds=2.5)
    assert at_least(0.95, report) == 1 <= report.latencies.max_s + 0.05
    assert report.latencies.count > 1500 and report.latencies.p99_s < 0.5


def test_connections_that_are_not_served_are_seen():
    """No percentile shows them, so three other figures do."""
    report = load("one", connections=32, seconds=1)
    assert report.unanswered == report.starved == 31 and report.least_served == 0
    assert report.latencies.max_s >= 2.9
    assert any(note.startswith("31 of 32 connections had no answer") for note in report.notes())
    assert any(note.startswith("31 requests were never answered") for note in report.notes())


def test_the_open_loop_does_not_wait_for_a_server_that_is_too_slow():
    """It says that the server did not keep up, and the latency is as long as the backlog."""
    report = load("slow", connections=16, seconds=1.5, rate=800.0)
    assert report.offered == pytest.approx(800, rel=0.1)
    assert report.goodput <= 210 and report.most_waiting > 500
    assert report.latencies.p50_s > 0.5
    assert any(note.startswith("the server did not keep up") for note in report.notes())


@pytest.mark.parametrize(("connections", "seconds"), [(1000, 1), pytest.param(10_000, 3, marks=pytest.mark.thorough)])
def test_many_connections(connections, seconds):
    report = load("at_once", connections=connections, seconds=seconds)
    assert not report.errors and not report.unanswered and report.latencies.count >= connections


def test_a_bottleneck_of_its_own_is_told():
    report = load("at_once", connections=1, seconds=0.1, rate=100.0)
    calm = dataclasses.replace(report, generator_cores=0.4, generator_waited=0.2, lag_p99_s=None, unanswered=0)
    assert not calm.notes()
    for more in ({"generator_cores": 0.95}, {"generator_waited": 0.55}):
        (note,) = dataclasses.replace(calm, **more).notes()
        assert note.startswith("the generator itself was the bottleneck")
    (note,) = dataclasses.replace(calm, lag_p99_s=0.004).notes()
    assert "4.0 ms late" in note


# The command.


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["10.0.0.1:80/"], "only talks to this machine"),
        (["example.org/"], "only talks to this machine"),
        (["[2001:db8::1]:80/"], "only talks to this machine"),
        (["127.0.0.1.example.org:80/"], "only talks to this machine"),
        (["https://127.0.0.1/"], "only talks to this machine"),
        ([""], "is no address"),
        (["127.0.0.1:70000/"], "a port is a number from 1 to 65535"),
        (["127.0.0.1:80/a b"], "a path begins with a slash"),
        (["127.0.0.1:80/\r\nX: y"], "no address"),
        (["127.0.0.1:80/", "--rate", "0"], "--rate must be above 0"),
        (["127.0.0.1:80/", "--rate", "100001"], "at most 100,000 a second"),
        (["127.0.0.1:80/", "--seconds", "0.01"], "--seconds must be from 0.1 to 60, not 0.01"),
        (["127.0.0.1:80/", "--seconds", "61"], "--seconds must be from 0.1 to 60, not 61"),
        (["127.0.0.1:80/", "--seconds", "nan"], "a number is needed, not 'nan'"),
        (["127.0.0.1:80/", "--seconds", "soon"], "a number is needed, not 'soon'"),
        (["127.0.0.1:80/", "--connections", "20001"], "--connections must be from 1 to 20,000"),
        (["127.0.0.1:80/", "--connections", "0"], "--connections must be from 1 to 20,000"),
        (["127.0.0.1:80/", "--even"], "give it a --rate"),
        (["127.0.0.1:80/", "--mix", "1", "/a"], "their sum below 1"),
        (["127.0.0.1:80/", "--mix", "some", "/a"], "'some' is no share"),
        (["127.0.0.1:1/"], "nobody listens at 127.0.0.1:1: connection refused"),
        (["[::1]:1/"], "nobody listens at [::1]:1: "),
        (["127.0.0.1:1/", "--json", "/no/such/folder"], "can't write '/no/such/folder'"),
    ],
)
def test_bad_input_is_one_sentence(arguments, sentence, capsys):
    assert command(arguments) == 2
    out, err = capsys.readouterr()
    assert sentence in err and err.count("\n") == 1 and not out


@pytest.mark.parametrize("text", ["127.0.0.1:8000/json", "http://localhost:8000/json"])
def test_a_target_can_be_written_as_a_url(text):
    assert (target(text).address, target(text).path) == ("127.0.0.1:8000", "/json")


def test_a_target_of_the_other_family():
    assert (target("[::1]:8000").address, target("[::1]:8000").path) == ("[::1]:8000", "/")
    with pytest.raises(BadInput):
        target("[::2]:8000")


def test_more_connections_than_descriptors(monkeypatch, capsys):
    monkeypatch.setattr("concmodels.platform.measuring.raise_descriptor_limit", lambda need: 100)
    assert command(["127.0.0.1:1/", "--connections", "1000"]) == 2
    assert "1,000 connections needs about" in capsys.readouterr().err


def test_the_table_and_the_json_say_the_same(tmp_path):
    file = tmp_path / "load.json"
    with server("at_once") as address:
        line = [f"{address}x", "--seconds", "0.5", "--rate", "300", "--mix", "0.1", "/y", "--json", file]
        with Program(tmp_path, *line, module=MODULE) as program:
            status, out, err = program.end()
    (report,) = json.loads(file.read_text())
    assert (status, err) == (0, "")
    assert f"{report['goodput']:,.0f} answers/s from {address[:-1]}" in out
    assert re.search(r"/x +[\d,]+", out) and re.search(r"/y +\d+", out) and "errors: none" in out
    assert report["loop"] == "open" and report["arrivals"] == "poisson" and report["by_kind"][1]["share"] == 0.1
    assert sum(report["latencies"]["histogram"].values()) == report["latencies"]["count"]


def test_json_can_be_all_that_is_on_standard_output(tmp_path):
    with (
        server("at_once") as address,
        Program(tmp_path, address, "--seconds", "0.2", "--json", "-", module=MODULE) as it,
    ):
        status, out, err = it.end()
    assert status == 0 and json.loads(out)[0]["loop"] == "closed" and "answers/s" in err


def test_status_1_if_nothing_was_answered(tmp_path):
    with server("leaving") as address, Program(tmp_path, address, "--seconds", "0.2", "--quiet", module=MODULE) as it:
        assert it.end() == (1, "", "")


def test_ctrl_c_on_a_terminal_that_shows_how_far_it_is(tmp_path):
    with server("at_once") as address:
        options = (address, "--seconds", "30", "--rate", "100")
        seen = r"of 30 s, \S+ answers"
        written = on_a_terminal(tmp_path, *options, look_for=seen, module=MODULE, within=20)
    assert written.endswith("benchmarks.web.load: interrupted\r\n") and "Traceback" not in written


def test_a_short_run_shows_no_progress(tmp_path):
    options = ("--seconds", "1", "--rate", "100")
    with server("at_once") as address, Program(tmp_path, address, *options, module=MODULE) as program:
        assert program.end()[2] == ""


def test_sigterm_ends_it(tmp_path):
    with server("at_once") as address, Program(tmp_path, address, "--seconds", "30", module=MODULE) as program:
        assert until(lambda: connected(program)) is True
        program.process.terminate()
        assert program.end()[0] == 143


def connected(program):
    """True when the program has its connections, None before."""
    return len(list(Path(f"/proc/{program.process.pid}/fd").iterdir())) > 60 or None
