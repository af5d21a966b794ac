"""Every Python block and every command on the site and in the README is run, or says why not.

A block that is not run has `<!-- not run: the reason -->` on the line before it, and is among the skipped tests.
"""

import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import interruptible
import pytest

ROOT = Path(__file__).parents[2]
PYTHON, SHELL = ("python", "pycon"), ("console", "sh", "bash", "shell")
FENCE = re.compile(r"^\s*(?P<fence>`{3,}|:{3,})(?P<info>.*)$")
LANGUAGE = re.compile(r"(?:\{code(?:-block)?\}\s*)?(\w+)")
MARK = re.compile(r"<!-- not run: (?P<why>\S.*?) -->")
MANY = re.compile(r"(?<= -m concmodels\.)(ring \d+?|pool)(0?) (\d+)0\b")
"""How many tasks are in the ring, and how many messages are sent, or calls made."""
FEWER = {
    "make demo": "make demo RING='30 1000'",
    ".venv/bin/python -m concmodels check": ".venv/bin/python -m concmodels check threads processes asyncio",
}
"""What stands for commands that don't say it: the same in small, or a model of each kind instead of all."""


@dataclass(frozen=True)
class Block:
    """A block of code on a page."""

    page: str
    line: int
    language: str
    text: str
    why_not: str | None

    def __str__(self):
        return f"{self.page}:{self.line}"


def blocks_of(page, text):
    """The blocks with code that could run; those inside of other blocks' directives too."""
    lines = iter(enumerate(text.splitlines(), 1))
    before = ""
    for number, line in lines:
        if (fence := FENCE.match(line)) and (named := LANGUAGE.fullmatch(fence["info"].strip())):
            content = until(fence["fence"], lines)
            if named[1] in PYTHON + SHELL:
                mark = MARK.fullmatch(before.strip())
                yield Block(page, number, named[1], content, mark and mark["why"])
        elif fence and len(fence["fence"]) > 3 and fence["fence"][0] == "`" and not fence["info"].strip():
            until(fence["fence"], lines)  # shows how Markdown is written
        if line.strip():
            before = line


def until(fence, lines):
    """The lines up to the end of a block, without the options of a directive and without its indentation."""
    content = []
    for _, line in lines:
        if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            break
        content.append(line)
    while content and re.match(r"\s*:[\w-]+:", content[0]):
        content.pop(0)
    margin = min((len(line) - len(line.lstrip()) for line in content if line.strip()), default=0)
    return "\n".join(line[margin:] for line in content).strip("\n") + "\n"


def commands_of(block):
    """What a reader would type: in a console block the lines behind `$ `, elsewhere all but comments."""
    text = block.text.replace("\\\n", " ")
    if block.language == "console":
        return [line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ ")]
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def shortened(command):
    """The same with a tenth of the tasks and of the messages, or calls: whether it is right shows with fewer, too."""
    return FEWER.get(command.partition(" #")[0].strip(), MANY.sub(r"\1 \3", command))


def run(words, folder, **how):
    """Run it as a reader would, with this interpreter as `python`; what it prints is in the failure."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    process = interruptible.popen(
        words, cwd=folder, env=environment, start_new_session=True,
        stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, **how,
    )  # fmt: skip
    try:
        output, _ = process.communicate(timeout=220)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # with all that it has started
        pytest.fail(f"{words} takes longer than 220 seconds")
    if process.returncode != 0:
        pytest.fail(f"{words} ended with status {process.returncode}:\n{output}")


def pages():
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [path for path in found if "_ext" not in path.parts]


BLOCKS = [block for page in pages() for block in blocks_of(str(page.relative_to(ROOT)), page.read_text())]


@pytest.mark.docs
@pytest.mark.timeout(240)
@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_what_a_page_shows_runs(block, tmp_path, thorough):
    if block.why_not is not None:
        pytest.skip(f"{block} is not run: {block.why_not}")
    if block.language in SHELL:
        commands = commands_of(block)
        assert commands, "no command: in a console block they begin with `$ `"
        for command in commands:
            run(command if thorough else shortened(command), ROOT, shell=True)
    elif block.text.startswith(">>>"):
        (tmp_path / "page.txt").write_text(block.text)
        run([sys.executable, "-m", "doctest", "page.txt"], tmp_path)
    else:
        (tmp_path / "program.py").write_text(block.text)
        run([sys.executable, "program.py"], tmp_path)


PAGE = """\
```python
print(1)
```
<!-- not run: it never ends -->
```console
$ yes
y
```
::::{tab-item} threads
:::{code-block} python
:emphasize-lines: 1

print(2)
:::
  ```sh
  # a comment
  true \\
    || false
  ```
::::
````
```python
how Markdown is written
```
````
```text
$ not a command
```
"""


def test_blocks_are_found_wherever_they_are():
    found = list(blocks_of("page.md", PAGE))
    assert [(block.line, block.language, block.why_not) for block in found] == [
        (1, "python", None), (5, "console", "it never ends"), (10, "python", None), (15, "sh", None),
    ]  # fmt: skip
    assert found[2].text == "print(2)\n"
    assert commands_of(found[1]) == ["yes"]
    assert [command.split() for command in commands_of(found[3])] == [["true", "||", "false"]]


@pytest.mark.parametrize(
    ("command", "fewer"),
    [("ring 300 10000 --repeat 30", "ring 30 1000 --repeat 30"), ("pool 100 --workers 20", "pool 10 --workers 20"),
     ("ring 3 7", "ring 3 7"), ("pool 8 --numbers 200", "pool 8 --numbers 200")],
)  # fmt: skip
def test_a_command_is_run_with_a_tenth_of_its_tasks_and_messages(command, fewer):
    assert shortened(f"python -m concmodels.{command}") == f"python -m concmodels.{fewer}"


@pytest.mark.parametrize("command", FEWER)
def test_a_command_that_has_a_shorter_one_is_on_a_page_and_known_with_its_comment(command):
    written = [line for block in BLOCKS if block.language in SHELL for line in commands_of(block)]
    assert {shortened(line) for line in written if line.partition(" #")[0].strip() == command} == {FEWER[command]}


def test_a_failing_command_fails_with_its_output(tmp_path):
    with pytest.raises(pytest.fail.Exception, match="status 3:\nsaid"):
        run("echo said; exit 3", tmp_path, shell=True)
