"""The ring in other languages: built and run where there is a toolchain, and what is said where there is none."""

import pytest

from benchmarks import other_languages
from benchmarks.other_languages import driver


@pytest.fixture(params=other_languages.LANGUAGES)
def language(request):
    """One that can be built here."""
    if why := other_languages.why_not(request.param):
        pytest.skip(why)
    return request.param


def test_a_ring_in_another_language_comes_round(language, tmp_path):
    program = other_languages.build(language, tmp_path)
    for outcome in (
        other_languages.stream(language, program, 5, 100),
        other_languages.token(language, program, 5, 10),
    ):
        assert outcome.language == language
        assert outcome.seconds > 0
        assert outcome.cpus >= 1
        assert outcome.version


def test_gos_channels_have_a_capacity(tmp_path):
    if why := other_languages.why_not("go"):
        pytest.skip(why)
    program = other_languages.build("go", tmp_path)
    assert other_languages.stream("go", program, 5, 100, capacity=8).seconds > 0


def test_erlangs_mailboxes_have_none(tmp_path):
    with pytest.raises(ValueError, match="a mailbox in Erlang has no capacity"):
        other_languages.stream("erlang", tmp_path / "ring.beam", 5, 100, capacity=8)


def test_a_machine_without_a_toolchain(monkeypatch, tmp_path):
    monkeypatch.setattr(driver, "find", lambda tool: None)
    assert other_languages.why_not("erlang") == "erlc and erl not found on this machine"
    with pytest.raises(RuntimeError, match="the ring in go can't be built: go not found on this machine"):
        other_languages.build("go", tmp_path)


def test_a_program_that_fails(tmp_path):
    program = tmp_path / "ring"
    program.write_text("#!/bin/sh\necho 'message 3 came when 2 was due' >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(RuntimeError, match="ring failed with exit status 1: message 3 came when 2 was due"):
        other_languages.stream("go", program, 5, 100)


@pytest.mark.parametrize("ask", [other_languages.why_not, lambda name: other_languages.token(name, "ring", 1, 1)])
def test_there_is_no_ring_in_that_language(ask):
    with pytest.raises(ValueError, match="no ring in 'occam'; there is one in go, erlang"):
        ask("occam")
