"""HTTP/1.1 by the book, and beside h11: the service sees no request that is not there."""

import random
import re
from collections import Counter
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

import pytest
from http_mutants import mutated, seen_by_h11, seen_here

from concmodels.serve import http

HOST = b"Host: a\r\n"
GET = b"GET /json HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST /echo HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n%s"


def post(fields, body=b""):
    """A POST with these fields, and another request behind it."""
    return POST % (fields, body) + GET


def line(text):
    """A request with this line."""
    return text + b"\r\nHost: a\r\n\r\n" + GET


def field(text):
    """A GET with this field besides."""
    return b"GET /json HTTP/1.1\r\nHost: a\r\n" + text + b"\r\n\r\n" + GET


def of_1_0(fields=b""):
    """A request of HTTP/1.0 with these fields."""
    return b"GET /json HTTP/1.0\r\n" + fields + b"\r\n" + GET


RFC = [
    # Section of RFC 9112 (or another one), what is sent, the statuses of the answers.
    ("2.2 empty line before", b"\r\n" + GET + GET, [200, 200]),
    ("2.2 empty line between", GET + b"\r\n" + GET, [200, 200]),
    ("2.2 empty line behind a body", POST % (b"Content-Length: 4", b"body") + b"\r\n" + GET, [200, 200]),
    ("2.2 bare LF", GET.replace(b"\r\n", b"\n"), []),
    ("2.2 bare LF in the head", b"GET /json HTTP/1.1\nHost: a\r\n\r\n" + GET, [400]),
    ("2.2 bare CR", b"GET /json HTTP/1.1\rHost: a\r\n\r\n" + GET, [400]),
    ("2.2 bare CR in a value", field(b"X: y\rz"), [400]),
    ("2.2 space before the first field", b"GET /json HTTP/1.1\r\n Host: a\r\n\r\n" + GET, [400]),
    ("2.2 no HTTP at all", b"\x16\x03\x01\x02\x00\r\n\r\n" + GET, [400]),
    ("2.3 version in small letters", line(b"GET /json http/1.1"), [400]),
    ("2.3 version of two digits", line(b"GET /json HTTP/1.10"), [400]),
    ("2.3 HTTP/1.2 is as 1.1", line(b"GET /json HTTP/1.2"), [200, 200]),
    ("2.3 HTTP/2.0", line(b"GET /json HTTP/2.0"), [505]),
    ("2.3 HTTP/0.9", b"GET /json\r\n\r\n" + GET, [400]),
    ("3 two spaces", line(b"GET  /json HTTP/1.1"), [400]),
    ("3 a tab", line(b"GET\t/json HTTP/1.1"), [400]),
    ("3 a space in front", line(b" GET /json HTTP/1.1"), [400]),
    ("3 a space behind", line(b"GET /json HTTP/1.1 "), [400]),
    ("3 a space in the target", line(b"GET /js on HTTP/1.1"), [400]),
    ("3.1 methods are case-sensitive", line(b"get /json HTTP/1.1"), [405, 200]),
    ("3.1 a method that nobody knows", line(b"BREW /json HTTP/1.1"), [405, 200]),
    ("3.1 a method that is no token", line(b"GE(T /json HTTP/1.1"), [400]),
    ("3.2 Host is missing", b"GET /json HTTP/1.1\r\n\r\n" + GET, [400]),
    ("3.2 Host twice", field(b"Host: a"), [400]),
    ("3.2 Host twice, another", field(b"Host: b"), [400]),
    ("3.2 Host with a space", b"GET /json HTTP/1.1\r\nHost: a b\r\n\r\n" + GET, [400]),
    ("3.2 Host with a path", b"GET /json HTTP/1.1\r\nHost: a/b\r\n\r\n" + GET, [400]),
    ("3.2 Host with a user", b"GET /json HTTP/1.1\r\nHost: u@a\r\n\r\n" + GET, [400]),
    ("3.2 Host with a bad port", b"GET /json HTTP/1.1\r\nHost: a:b\r\n\r\n" + GET, [400]),
    ("3.2 Host with a bad %", b"GET /json HTTP/1.1\r\nHost: a%zz\r\n\r\n" + GET, [400]),
    ("3.2 Host with a good %", b"GET /json HTTP/1.1\r\nHost: a%20b\r\n\r\n" + GET, [200, 200]),
    ("3.2 Host may be empty", b"GET /json HTTP/1.1\r\nHost:\r\n\r\n" + GET, [200, 200]),
    ("3.2 Host with a port", b"GET /json HTTP/1.1\r\nHost: a.example:8000\r\n\r\n" + GET, [200, 200]),
    ("3.2 Host of IPv6", b"GET /json HTTP/1.1\r\nHost: [::1]:8000\r\n\r\n" + GET, [200, 200]),
    ("3.2 Host in capitals", b"GET /json HTTP/1.1\r\nHOST: A\r\n\r\n" + GET, [200, 200]),
    ("3.2.1 origin form with a query", line(b"GET /echo?a/b?c HTTP/1.1"), [200, 200]),
    ("3.2.1 a target that is no path", line(b"GET json HTTP/1.1"), [400]),
    ("3.2.1 a target beyond ASCII", line(b"GET /\xe4 HTTP/1.1"), [400]),
    ("3.2.2 absolute form", line(b"GET http://a/json HTTP/1.1"), [200, 200]),
    ("3.2.2 absolute form of https", line(b"GET https://a:8000/json HTTP/1.1"), [200, 200]),
    ("3.2.2 absolute form, capitals", line(b"GET HTTP://a/json HTTP/1.1"), [200, 200]),
    ("3.2.2 absolute form without a path", line(b"GET http://a HTTP/1.1"), [200, 200]),
    ("3.2.2 absolute form with a query only", line(b"GET http://a?x HTTP/1.1"), [200, 200]),
    ("3.2.2 absolute form without a host", line(b"GET http:///json HTTP/1.1"), [400]),
    ("3.2.2 absolute form with a port only (RFC 9110, 4.2.1)", line(b"GET http://:80/json HTTP/1.1"), [400]),
    ("3.2.2 absolute form with a user (RFC 9110, 4.2.4)", line(b"GET http://a@b/json HTTP/1.1"), [400]),
    ("3.2.2 absolute form without Host", b"GET http://a/json HTTP/1.1\r\n\r\n" + GET, [400]),
    ("3.2.2 another scheme", line(b"GET ftp://a/json HTTP/1.1"), [400]),
    ("3.2.3 authority form", line(b"CONNECT a:80 HTTP/1.1"), [501]),
    ("3.2.4 asterisk form", line(b"OPTIONS * HTTP/1.1"), [400]),
    ("5 a line without a colon", field(b"Xy"), [400]),
    ("5 a name that is no token", field(b"X(y: z"), [400]),
    ("5 an empty name", field(b": z"), [400]),
    ("5 an empty value", field(b"X:"), [200, 200]),
    ("5 no space behind the colon", field(b"X:y"), [200, 200]),
    ("5.1 space before the colon", field(b"X : y"), [400]),
    ("5.1 tab before the colon", field(b"X\t: y"), [400]),
    ("RFC 9110, 5.5 a NUL in a value", field(b"X: \0"), [400]),
    ("RFC 9110, 5.5 another control character", field(b"X: \x01"), [400]),
    ("RFC 9110, 5.5 a vertical tab", field(b"Connection: close\v"), [400]),
    ("RFC 9110, 5.5 a form feed", field(b"X: \f"), [400]),
    ("RFC 9110, 5.5 DEL", field(b"X: \x7f"), [400]),
    ("RFC 9110, 5.5 a tab", field(b"X: y\tz\t"), [200, 200]),
    ("RFC 9110, 5.5 bytes over 127", field(b"X: \xff"), [200, 200]),
    ("5.2 a folded line", field(b"X: y\r\n z"), [400]),
    ("6.1 chunked", post(b"Transfer-Encoding: chunked", b"0\r\n\r\n"), [501]),
    ("6.1 chunked and a length", post(b"Transfer-Encoding: chunked\r\nContent-Length: 5", b"0\r\n\r\n"), [501]),
    ("6.1 a length and chunked", post(b"Content-Length: 5\r\nTransfer-Encoding: chunked", b"0\r\n\r\n"), [501]),
    ("6.1 an encoding that nobody knows", post(b"Transfer-Encoding: xchunked"), [501]),
    ("6.1 chunked in HTTP/1.0", of_1_0(b"Transfer-Encoding: chunked\r\n"), [501]),
    ("6.2 a length", post(b"Content-Length: 4", b"body"), [200, 200]),
    ("6.2 a length of nothing", post(b"Content-Length: 0"), [200, 200]),
    ("6.2 a length with zeros before", post(b"Content-Length: 004", b"body"), [200, 200]),
    ("6.2 of 19 digits", post(b"Content-Length: " + b"0" * 18 + b"4", b"body"), [200, 200]),
    ("6.2 of more than 19 digits", post(b"Content-Length: " + b"0" * 20 + b"41", GET), [400]),
    ("6.2 with a sign", post(b"Content-Length: +4", b"body"), [400]),
    ("6.2 negative", post(b"Content-Length: -4", b"body"), [400]),
    ("6.2 hexadecimal", post(b"Content-Length: 0x4", b"body"), [400]),
    ("6.2 with an underscore", post(b"Content-Length: 1_0", b"0123456789"), [400]),
    ("6.2 empty", post(b"Content-Length:"), [400]),
    ("6.2 two numbers", post(b"Content-Length: 4 4", b"body"), [400]),
    ("6.2 not ASCII", post("Content-Length: ٤".encode(), b"body"), [400]),
    ("6.2 space around it", post(b"Content-Length: \t4 \t", b"body"), [200, 200]),
    ("6.3 twice the same", post(b"Content-Length: 4\r\nContent-Length: 4", b"body"), [400]),
    ("6.3 twice different", post(b"Content-Length: 4\r\nContent-Length: 5", b"body"), [400]),
    ("6.3 a list of the same", post(b"Content-Length: 4, 4", b"body"), [400]),
    ("6.3 a body of GET", b"GET /json HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody" + GET, [200, 200]),
    ("6.3 no length is no body", b"POST /echo HTTP/1.1\r\nHost: a\r\n\r\n" + GET, [200, 200]),
    ("RFC 9110, 10.1.1 100-continue", post(b"Expect: 100-Continue\r\nContent-Length: 4", b"body"), [100, 200, 200]),
    ("RFC 9110, 10.1.1 in a list", post(b"Expect: x, 100-continue\r\nContent-Length: 4", b"body"), [100, 200, 200]),
    ("RFC 9110, 10.1.1 of two", post(b"Expect: 100-continue\r\nExpect: x\r\nContent-Length: 1", b"x"), [100, 200, 200]),
    ("RFC 9110, 10.1.1 without a body", post(b"Expect: 100-continue"), [200, 200]),
    ("RFC 9110, 10.1.1 another expectation", post(b"Expect: x\r\nContent-Length: 4", b"body"), [200, 200]),
    ("8 a body that ends too early", POST % (b"Content-Length: 4", b"bod"), []),
    ("8 a head that ends too early", GET[:-1], []),
    ("9.3 HTTP/1.1 is kept", GET + GET, [200, 200]),
    ("9.3 HTTP/1.0 is not", of_1_0(), [200]),
    ("9.3 HTTP/1.0 that asks for it", of_1_0(b"Connection: Keep-Alive\r\n"), [200, 200]),
    ("9.6 close", field(b"Connection: close"), [200]),
    ("9.6 close in a list", field(b"Connection: upgrade , CLOSE"), [200]),
    ("9.6 keep-alive, then close", field(b"Connection: keep-alive\r\nConnection: close"), [200]),
    ("9.6 close, then keep-alive", field(b"Connection: close\r\nConnection: keep-alive"), [200]),
    ("9.6 close in HTTP/1.0, then keep-alive", of_1_0(b"Connection: close\r\nConnection: keep-alive\r\n"), [200]),
]


@pytest.mark.parametrize("pieces", [1, 1 << 30], ids=["in bytes", "whole"])
@pytest.mark.parametrize(("data", "statuses"), [it[1:] for it in RFC], ids=[it[0] for it in RFC])
def test_a_request_by_its_section(data, statuses, pieces):
    """What is behind the request is answered too, or the last answer has said that the connection ends."""
    answers = answered(data, pieces)
    assert [it[0] for it in answers] == statuses
    said = [it[1] for it in answers if it[0] != 100]
    assert said == [None, None] or not said or said == ["close"] or said == ["keep-alive", None]


def answered(data, pieces=1 << 30):
    """The answers to these bytes: their status, and what they say of the connection."""
    found = re.findall(rb"HTTP/1\.1 (\d{3}) (.*?)\r\n\r\n", seen_here(data, repeat(pieces))[-1], re.DOTALL)
    said = [re.search(rb"\r\nConnection: (.*)", head) for _, head in found]
    return [(int(status), it and it[1].decode()) for (status, _), it in zip(found, said, strict=True)]


@pytest.mark.parametrize(
    ("fields", "says"), [(b"Connection: keep-alive\r\n", b"keep-alive"), (b"", b"close")], ids=["kept", "closed"]
)
def test_a_client_of_1_0_is_told_whether_its_connection_is_kept(fields, says):
    head = seen_here(b"GET /json HTTP/1.0\r\n" + fields + b"\r\n")[-1].partition(b"\r\n\r\n")[0]
    assert re.findall(rb"\r\nConnection: (.*)", head) == [says]


def test_a_client_of_1_0_is_not_told_to_go_on():
    """It would take the 100 for its answer (RFC 9110, 10.1.1)."""
    data = b"POST /echo HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nbody"
    assert seen_here(data)[-1].startswith(b"HTTP/1.1 200 OK")


# Where it differs.

LINE_ENDS = rb"(?<!\r)\n|\r(?!\n)"
NONE = "this is not an HTTP/1.1 request"


class Difference(NamedTuple):
    """How the service differs from RFC 9112: the status and an example; by what it is told where h11 takes it."""

    status: int
    example: bytes
    sentence: str | None = None
    """How the refusal begins; None: h11 does the same."""
    pattern: bytes = b""
    """What a head has that is refused for this reason."""


DIFFERENCES = {
    "a line that ends with LF or CR alone": Difference(
        400, GET.replace(b"\r\n", b"\n", 1), NONE, LINE_ENDS
    ),
    "more than one empty line before a request": Difference(400, b"\r\n\r\n" + GET, NONE, rb"\A\r\n\r\n"),
    "a request line of more than 16 KiB": Difference(431, b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\n"),
    "a method that nobody knows": Difference(405, b"BREW" + GET[3:]),
    "`CONNECT`": Difference(501, line(b"CONNECT a:80 HTTP/1.1"), "this service makes", rb"\A(?:\r\n)?CONNECT "),
    "a target that is neither a path nor an http address": Difference(
        400, line(b"OPTIONS * HTTP/1.1"), "the target of", rb"\A(?:\r\n)?\S+ (?i:[^/])"
    ),
    "another version than HTTP/1": Difference(505, line(b"GET / HTTP/2.0"), "this service only", rb"HTTP/[^1]"),
    "a `Host` that is no host": Difference(400, field(b"Host: a b"), "Host must be", rb"(?i)\nhost:"),
    "no `Host` in HTTP/1.2 and later": Difference(
        400, b"GET / HTTP/1.2\r\n\r\n", "a request of HTTP/1.1 needs", rb"HTTP/1\.[2-9]"
    ),
    "a folded field": Difference(400, field(b"X: y\r\n z"), NONE, rb"\r\n[ \t]"),
    "a control character in a field": Difference(400, field(b"X: \x01"), NONE, rb"[\x01-\x08\x0e-\x1f\x7f]"),
    "`Transfer-Encoding`": Difference(
        501, post(b"Transfer-Encoding: chunked"), "send the body with", rb"(?i)\ntransfer-encoding:"
    ),
    "two `Content-Length`, or one of more than 19 digits": Difference(
        400, post(b"Content-Length: 1, 1", b"x"), "Content-Length must",
        rb"(?is)\ncontent-length:(?:.*\ncontent-length:|.*,|\s*\d{20})",
    ),
    "a body of more than 1 MiB": Difference(
        413, post(b"Content-Length: 1048577"), "a body may", rb"(?i)\ncontent-length:\s*\d{7}"
    ),
    "a `HEAD` that is refused: the answer has a body": Difference(400, b"HEAD / HTTP/1.1\r\n\r\n"),
    "any answer: it has no `Date`": Difference(200, GET),
}  # fmt: skip
"""The rows of the table in the reference."""


@pytest.mark.parametrize("it", DIFFERENCES.values(), ids=DIFFERENCES)
def test_how_it_differs(it):
    assert answered(it.example)[0][0] == it.status


def test_what_answers_lack():
    assert seen_here(b"HEAD / HTTP/1.1\r\n\r\n")[-1].endswith(b"needs a Host\n")
    assert b"\r\nDate:" not in seen_here(GET)[-1]


def test_the_page_says_how_it_differs():
    page = (Path(__file__).parents[2] / "docs" / "reference" / "programs" / "serve.md").read_text()
    table = page.partition("| what | status | RFC 9112 |\n")[2].partition("\n\n")[0].splitlines()[1:]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table]
    assert {what: int(status) for what, status, _ in rows} == {what: it.status for what, it in DIFFERENCES.items()}


@pytest.mark.timeout(280)
def test_the_service_sees_no_request_that_h11_does_not_see(thorough):
    """Of mutated requests: the same ones in the same order, or fewer, and then for a reason that is listed."""
    draw, agreed, reasons = random.Random(9112), 0, Counter()
    count = 200_000 if thorough else 4_000
    for number in range(count):
        data = mutated(draw)
        asked, refusal, head, _ = seen_here(data, iter(lambda: draw.randint(1, 200), 0))
        theirs = seen_by_h11(data)
        assert asked == theirs[: len(asked)], (number, data, asked, theirs)
        if len(asked) == len(theirs):
            agreed += 1
            continue
        why = [words for words, it in DIFFERENCES.items() if explains(it, refusal, head)]
        assert why, (number, data, refusal, head, asked, theirs)
        reasons[why[0]] += 1
    assert agreed > count / 2 and reasons.keys() == {words for words, it in DIFFERENCES.items() if it.sentence}


def explains(difference, refusal, head):
    """Whether this is why a request was refused; without a refusal, no end of its head was found."""
    if difference.sentence is None or not re.search(difference.pattern, head):
        return False
    if refusal is None:
        return b"\r\n\r\n" not in head and difference.pattern == LINE_ENDS
    return refusal[0] == difference.status and refusal[1].startswith(difference.sentence)


def test_no_pattern_looks_again_from_every_place():
    """A lazy repetition takes the square of the time: 16 KiB of spaces in a field held up every other client."""
    patterns = [it.pattern for it in vars(http).values() if isinstance(it, re.Pattern)]
    assert patterns and not [it for it in patterns if re.search(rb"(?<!\\)[*+?}]\?", it)]
