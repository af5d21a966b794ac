"""The pytest plugin, as a course has it that has installed concmodels; and as everybody else has it: not at all."""

import os
import tomllib
from pathlib import Path

import others_plugins
import preloaded
import pytest

import concmodels
from concmodels.course.catalogue import exercise

ROOT = Path(concmodels.__file__).parent.parent
WRONG = exercise(20).folder / "wrong"
COURSE = "def test_guarantee(model, guarantee):\n    guarantee.hold(model)\n"
MODEL = """
class Channel:
    def __init__(self, capacity=0, name=None): self.closed = {closed}
    def send(self, item, timeout=None): raise NotImplementedError("sending comes next week")
    def receive(self, timeout=None): raise NotImplementedError("receiving comes next week")
    def close(self): {close}
"""
GOOD = MODEL.format(closed=False, close="self.closed = True")
BAD = MODEL.format(closed=False, close="self.closed = not self.closed")
HANGS = MODEL.format(closed=False, close="import time; time.sleep(3600)")
COMPUTES = MODEL.format(closed=False, close="\n        while True: pass")


@pytest.fixture
def course(tmp_path):
    """A repository, and beside it what an installation leaves: the entry points of this very checkout."""
    installed = tmp_path / "installed" / "concmodels-0.dist-info"
    installed.mkdir(parents=True)
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: concmodels\nVersion: 0\n")
    lines = "".join(f"{name} = {where}\n" for name, where in points.items())
    (installed / "entry_points.txt").write_text(f"[pytest11]\n{lines}")
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    return repository


def write(course, **files):
    for name, text in files.items():
        (course / f"{name}.py").write_text(text)


def run(course, *arguments):
    paths = os.pathsep.join([str(course.parent / "installed"), str(ROOT)])
    temporary = course.parent / "temporary"  # the guarantees look whether anything is left there, by whomever
    temporary.mkdir(exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(temporary)}
    options = ("-rs", "-p", "no:cacheprovider", *others_plugins.WITHOUT)
    return preloaded.run("pytest", *options, *arguments, cwd=course, env=environment)


def test_one_test_per_guarantee_and_a_failed_one_with_values_if_it_is_broken(course):
    write(course, test_it=COURSE, my_model=GOOD, bad_model=BAD)
    models = ("--model", "my_model.py", "--model", "bad_model.py")
    status, out = run(course, *models, "-k", "close_is_idempotent or one_to_one", "-v")
    assert status == 1 and "4 failed, 4 passed, 8 skipped" in out
    for name, verdict in {"my_model.py": "PASSED", "bad_model.py": "FAILED"}.items():
        assert f"test_it.py::test_guarantee[{name}-closing.close_is_idempotent(capacity=0)] {verdict}" in out
    assert "comes next week" in out
    assert (
        "guaranteed: `close()` is idempotent: a second call does nothing." in out
        and "but: `channel.closed` should be true" in out
    )


PATIENCE = f"""
import sys

sys.path.append({str(Path(__file__).parent)!r})

import patient
from concmodels.conformance import plugin

plugin.PATIENCE_S = 1
patient.wait_for_models()
"""


@pytest.mark.parametrize("text, options", [(COMPUTES, []), (HANGS, ["--concmodels-real"])])
def test_a_model_that_hangs_does_not_hang_pytest(course, text, options):
    write(course, test_it=COURSE, my_model=text, conftest=PATIENCE)
    status, out = run(course, "--model", "my_model.py", "-k", "close_is_idempotent and inf", *options)
    assert status == 1 and "1 failed" in out and "did not end within 1 seconds (deadlock or endless loop?)" in out


def test_time_is_virtual_where_waiting_can_be_seen(course):
    write(course, test_it=COURSE, my_model=HANGS.replace("3600)", "3600); self.closed = True"))
    status, out = run(course, "--model", "my_model.py", "-k", "close_is_idempotent")
    assert status == 0 and "4 passed" in out


def test_a_broken_guarantee_is_explained(course):
    write(course, test_it=COURSE, my_model=(WRONG / "look_then_act.py").read_text())
    status, out = run(course, "--model", "my_model.py", "-k", "each_item_reaches_one_receiver and 1")
    assert status == 1 and "1 failed" in out
    assert "What happened, with 1 forced switch, marked >:" in out
    assert "my_model.py:32  return self._items.popleft()" in out
    assert "again: python -m concmodels.conformance my_model.py -k 'delivery.each_item_reaches_one_receiver(" in out


def test_models_of_the_catalog_and_several(course):
    write(course, test_it=COURSE, my_model=GOOD)
    status, out = run(
        course, "--model", "asyncio", "--model", "threads", "--concmodels-model", "my_model.py", "-k", "with_closes"
    )
    assert status == 0 and "8 passed, 4 skipped" in out, out


@pytest.mark.parametrize(
    "name, sentence",
    [
        ("no_such.py", "there is no file no_such.py"),
        pytest.param("thread", "there is no model 'thread'", marks=pytest.mark.thorough),
        ("test_it.py", "no Channel"),
    ],
)
def test_a_model_that_is_none_is_refused(course, name, sentence):
    write(course, test_it=COURSE)
    status, out = run(course, "--model", name)
    assert status == pytest.ExitCode.USAGE_ERROR and sentence in out and "Traceback" not in out


def test_who_names_no_model_is_told_so(course):
    write(course, test_it=COURSE)
    status, out = run(course)
    assert status == 1 and "pytest --model my_model.py" in out


# Everybody else.

OTHERS = """
import pytest, sys

@pytest.fixture(params=["resnet", "vgg"])
def model(request):
    return request.param

@pytest.fixture
def guarantee():
    return 7

def test_theirs(model, guarantee):
    assert model in ("resnet", "vgg") and guarantee == 7

@pytest.mark.parametrize("model", [1, 2, 3])
def test_numbers(model):
    assert model in (1, 2, 3)

def test_nothing_was_imported(pytestconfig):
    assert pytestconfig.pluginmanager.has_plugin("concmodels")
    assert not {"concmodels.conformance.suite", "concmodels.conformance.guarantees"} & set(sys.modules)
    assert "concmodels.models" not in sys.modules
"""


def test_other_tests_know_nothing_of_it(course):
    write(course, test_others=OTHERS)
    status, out = run(course)
    assert status == 0, out


OPTION = """
def pytest_addoption(parser):
    parser.addoption("--model", default="theirs")
"""


def test_an_option_of_theirs_goes_before(course):
    write(course, conftest=OPTION, test_it=COURSE, my_model=GOOD)
    write(
        course, test_theirs="def test_option(pytestconfig):\n    assert pytestconfig.getoption('--model') == 'resnet'\n"
    )
    assert run(course, "test_theirs.py", "--model", "resnet")[0] == 0
    status, out = run(course, "test_it.py", "--concmodels-model", "my_model.py", "-k", "close_is_idempotent")
    assert status == 0 and "4 passed" in out
