"""Places to begin: the image, the container for editors and the workflows of a forge name what is really there.

They can't be run here. `make lint` has a linter read the workflows, too.
"""

import importlib.util
import json
import re
import shlex
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
PYTHON = re.search(r"^PYTHON = (\S+)$", MAKEFILE, re.MULTILINE)[1]
DEVCONTAINER = ROOT / ".devcontainer" / "devcontainer.json"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").iterdir())
REGISTRIES = re.compile(r"\b(pypi|pythonhosted|npmjs|conda)\.|[a-z]+\.(pypi|conda)\b")


def instructions():
    """What the Dockerfile says, in order: each instruction with its words."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    return [tuple(line.split(None, 1)) for line in text.splitlines() if line]


def made_by(command):
    """The targets that a command line has `make` make."""
    words = shlex.split(command)
    return [word for word in words[1:] if "=" not in word] if words[:1] == ["make"] else []


def copied():
    """What the Dockerfile copies from the checkout, each with the place of the instruction."""
    for number, (name, rest) in enumerate(instructions()):
        if name == "COPY":
            yield from ((number, word) for word in rest.split()[:-1] if not word.startswith("--"))


def test_the_image_is_of_the_version_that_the_makefile_sets_up():
    (image,) = (rest for name, rest in instructions() if name == "FROM")
    assert image == f"python:{PYTHON}-slim"


def test_the_image_copies_what_is_there():
    sources = [source for _, source in copied()]
    assert sources and [it for it in sources if not (ROOT / it).exists()] == []


def test_the_image_is_set_up_by_make_and_by_an_ordinary_user():
    steps = instructions()
    setup = steps.index(("RUN", "make setup"))
    assert {source for number, source in copied() if number < setup} >= {"Makefile", "requirements", "tools"}
    (user,) = ((number, rest) for number, (name, rest) in enumerate(steps) if name == "USER")
    assert user[1] != "root" and user[0] < setup
    command = shlex.join(json.loads(dict(steps)["CMD"]))
    assert set(made_by(command)) <= TARGETS and made_by(command) == ["demo"]


def test_the_image_gets_nothing_that_git_ignores():
    def names(file):
        lines = (line for line in (ROOT / file).read_text().splitlines() if line and not line.startswith("#"))
        return {line.removeprefix("**").strip("/") for line in lines}

    assert names(".gitignore") - names(".dockerignore") == set()
    assert ".git" in names(".dockerignore")


def test_the_container_of_editors_is_that_image():
    told = json.loads(DEVCONTAINER.read_text())
    build = {name: (DEVCONTAINER.parent / path).resolve() for name, path in told["build"].items()}
    assert build == {"dockerfile": ROOT / "Dockerfile", "context": ROOT}
    assert ("USER", told["remoteUser"]) in instructions()
    commands = [made_by(command) for name, command in told.items() if name.endswith("Command")]
    assert commands == [["setup"], ["demo"]] and {"setup", "demo"} <= TARGETS


def steps_of(path):
    """The steps of a workflow's jobs, those that are another workflow among them."""
    for job in yaml.safe_load(path.read_text())["jobs"].values():
        yield from job.get("steps", [job])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_names_what_is_there(path):
    for step in steps_of(path):
        for line in step.get("run", "").splitlines():
            assert set(made_by(line)) <= TARGETS, line
            for module in re.findall(r"python -m (concmodels\S*)", line):
                assert importlib.util.find_spec(module), line
            for file in re.findall(r"\brequirements/\S+|\btests/\S+", line):
                assert (ROOT / file).exists(), line
        if step.get("uses", "").startswith("./"):
            assert (ROOT / step["uses"]).is_file()
        elif "uses" in step:
            assert re.fullmatch(r"actions/[\w-]+@v\d+|[\w-]+/[\w/-]+@[0-9a-f]{40}", step["uses"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_only_read_unless_a_job_says_more(path):
    told = yaml.safe_load(path.read_text())
    assert told["permissions"] == {"contents": "read"}
    checkouts = [step for step in steps_of(path) if step.get("uses", "").startswith("actions/checkout@")]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)
    assert all(set(job.get("needs", "").split()) <= told["jobs"].keys() for job in told["jobs"].values())


def test_the_tests_are_run_on_three_systems_and_three_pythons():
    told = {path.stem: yaml.safe_load(path.read_text()) for path in WORKFLOWS}
    assert told.keys() == {"tests", "site", "release"}
    linux, check = (told["tests"]["jobs"][name] for name in ("linux", "check"))
    pythons = {"3.14", "3.14t", "3.15"}
    assert set(linux["strategy"]["matrix"]["python"]) == set(check["strategy"]["matrix"]["python"]) == pythons
    assert linux["runs-on"] == "ubuntu-latest"
    systems = ["ubuntu-latest", "ubuntu-24.04-arm", "macos-latest", "windows-latest"]
    assert check["strategy"]["matrix"]["system"] == systems
    assert "python -m concmodels check" in [step.get("run") for step in check["steps"]]


def test_a_release_has_been_tested_and_needs_no_password():
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    jobs = yaml.safe_load(text)["jobs"]
    assert (jobs["build"]["needs"], jobs["publish"]["needs"]) == ("test", "build")
    assert jobs["publish"]["permissions"]["id-token"] == "write"
    assert "secrets." not in text


def test_no_package_registry_is_named():
    assert REGISTRIES.search("upload.pypi.example") and REGISTRIES.search(f"https://{'pypi'}.example/")
    for path in [ROOT / "Dockerfile", DEVCONTAINER, *WORKFLOWS]:
        assert not REGISTRIES.search(path.read_text()), path


def test_the_site_is_built_with_what_runs_programs_in_the_page_and_keeps_it():
    """The cache is made anew when, and only when, `tools/playground.sh` would fetch again."""
    steps = list(steps_of(ROOT / ".github" / "workflows" / "site.yml"))
    (cache,) = (it for it in steps if it.get("uses", "").startswith("actions/cache@"))
    assert cache["with"]["path"] == ".python/playground"
    keys = set(re.findall(r"'([^']+)'", cache["with"]["key"]))
    stamp = re.search(r"wanted=\$\(cat (.+) \| cksum\)", (ROOT / "tools" / "playground.sh").read_text())[1]
    assert keys == {it.replace("*.json", "*") for it in stamp.split()}
    builds = [number for number, it in enumerate(steps) if made_by(it.get("run", "")) == ["playground", "docs"]]
    assert builds and builds[0] > steps.index(cache)
