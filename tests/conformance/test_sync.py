"""The code of the sync text is kept in a file, and made anew when anything has changed that it depends on."""

import importlib.util
import sys

import pytest

from concmodels.conformance.sync import Form, plain


@pytest.fixture
def made():
    """The texts that were compiled."""
    return []


@pytest.fixture
def form(made, monkeypatch):
    """Makes a form that notes what it compiles, as a process of its own would have it."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)

    def compiled(text, path):
        made.append(text)
        return compile(text, path, "exec")

    return lambda version="": Form("tried", compiled, version)


def test_a_text_is_compiled_once(form, made, tmp_path):
    path = str(tmp_path / "text.py")
    first, second = form().code("x = 1", path), form().code("x = 1", path)
    assert made == ["x = 1"]
    assert first == second and second.co_filename == path
    assert [it.name for it in (tmp_path / "__pycache__").iterdir()] == [
        f"text.{sys.implementation.cache_tag}.opt-tried.pyc"
    ]


def test_another_text_and_another_version_are_compiled_anew(form, made, tmp_path):
    path = str(tmp_path / "text.py")
    form().code("x = 1", path)
    assert form().code("x = 2", path).co_consts != form().code("x = 1", path).co_consts
    form("2").code("x = 1", path)
    assert made == ["x = 1", "x = 2", "x = 1", "x = 1"]


def test_a_file_that_has_moved_is_compiled_anew(form, made, tmp_path):
    (tmp_path / "old").mkdir()
    form().code("x = 1", str(tmp_path / "old" / "text.py"))
    (tmp_path / "old").rename(tmp_path / "new")
    assert form().code("x = 1", str(tmp_path / "new" / "text.py")).co_filename == str(tmp_path / "new" / "text.py")
    assert len(made) == 2


def test_the_code_of_another_python_is_not_loaded(form, made, tmp_path):
    path = str(tmp_path / "text.py")
    form().code("x = 1", path)
    kept = tmp_path / "__pycache__" / f"text.{sys.implementation.cache_tag}.opt-tried.pyc"
    code = kept.read_bytes()
    kept.write_bytes(b"none" + code[len(importlib.util.MAGIC_NUMBER) :])
    form().code("x = 1", path)
    assert len(made) == 2 and kept.read_bytes() == code


def test_nothing_is_written_where_python_is_to_write_nothing(form, made, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    form().code("x = 1", str(tmp_path / "text.py"))
    assert not list(tmp_path.iterdir()) and len(made) == 1


def test_a_folder_that_cannot_be_written_to_is_no_failure(form, made, tmp_path):
    (tmp_path / "__pycache__").write_text("a file where the folder would be")
    for _ in range(2):
        form().code("x = 1", str(tmp_path / "text.py"))
    assert len(made) == 2


def test_a_plain_text_has_no_await(tmp_path):
    path = tmp_path / "text.py"
    path.write_text("async def twice(x):\n    return await x() + await x()\n")
    found = {}
    exec(plain(str(path)), found)
    assert found["twice"](lambda: 2) == 4
