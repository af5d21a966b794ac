"""The source distribution: the whole checkout, so that what its README says can be done with it."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest
from trove_classifiers import classifiers

import concmodels

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The folder in which the source distribution of this checkout is unpacked. Building it needs no network."""
    folder = tmp_path_factory.mktemp("distribution")
    output(sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", folder)
    (archive,) = folder.iterdir()
    assert archive.name == f"concmodels-{concmodels.__version__}.tar.gz"
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


def output(*command, cwd=ROOT):
    """What a command prints, if it succeeds."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # of `make test`
    done = subprocess.run(command, cwd=cwd, env=ours, capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def of_the_checkout():
    """The files of the checkout, those too that are not committed yet, without what .gitignore names."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed, and only git knows which files belong to the checkout")
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout made by git, which alone knows the files that belong to it")
    git = ("git", "-c", f"safe.directory={ROOT}", "ls-files", "-z", "--cached")
    listed = output(*git, "--others", "--exclude-per-directory=.gitignore").split("\0")
    return {name for name in listed if name and (ROOT / name).exists()}


def files(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def test_it_holds_the_whole_checkout(unpacked):
    assert files(unpacked) == of_the_checkout() | {"PKG-INFO"}


def test_its_files_are_those_of_the_checkout(unpacked):
    """Their bytes, and whether they may be executed."""
    for name in of_the_checkout():
        theirs, ours = unpacked / name, ROOT / name
        assert theirs.read_bytes() == ours.read_bytes(), name
        assert os.access(theirs, os.X_OK) == os.access(ours, os.X_OK), name


def test_its_makefile_begins_with_steps_that_are_there(unpacked):
    """`make demo`, the README's first line: the set-up, and all that it reads; then the demo, in a smaller size."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    setup, demo = output("make", "--dry-run", "--no-print-directory", "demo", cwd=unpacked).splitlines()
    script = re.fullmatch(r"sh (tools/\S+) '3\.\d+' ''", setup)[1]
    for name in re.findall(r"\b(?:tools|requirements)/[\w-]+\.(?:sh|txt)", (unpacked / script).read_text()):
        assert (unpacked / name).is_file(), name
    module = re.fullmatch(r"\S+/bin/python -m (\S+) 300 10000 --model subinterp", demo)[1]
    assert "verified: 10 messages" in output(sys.executable, "-m", module, "3", "10", cwd=unpacked)


def test_what_says_the_version_says_one():
    version = concmodels.__version__
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    first = re.search("^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    assert first.split()[0] == version


def test_the_package_index_knows_the_classifiers():
    given = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    assert len(given) > 10 and set(given) <= classifiers
