"""Copy the project for students, without the files that hold solutions: python hand_out.py FOLDER

The copy has what the sessions run: the package, its set-up, and the programs that the exercises begin with.
"""

import argparse
import shutil
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[2]
WHOLE = [
    "concmodels", "requirements", "tools", "Makefile", "pyproject.toml", "README.md", "LICENSE", "Dockerfile",
    ".dockerignore", ".devcontainer",
]  # fmt: skip
EXAMPLES = [
    "shared_iterator.py", "tutorial/*.py", "races/*_broken.py", "teachers/blocking.py", "teachers/philosophers.py",
    "teachers/test_guarantees.py", "teachers/ci.yml",
]  # fmt: skip
SOLVED = ["*_mended*.py"]  # in the tutorial: one owner is half of exercise 5.1


def main():
    """Copy them; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the copy goes; it must not exist yet")
    folder = parser.parse_args().folder
    if folder.exists():
        parser.error(f"{folder} exists: name a folder that doesn't")
    if folder.resolve().is_relative_to(PROJECT / "concmodels"):
        parser.error(f"{folder} is inside the package that is copied: name a folder elsewhere")
    try:
        folder.mkdir(parents=True)
        for name in names():
            copy(name, folder)
    except OSError as error:
        parser.error(f"the copy is not complete: {error}")
    return 0


def names():
    """Yield what is copied: files and folders of the project."""
    yield from WHOLE
    for pattern in EXAMPLES:
        for file in sorted((PROJECT / "examples").glob(pattern)):
            if not any(file.match(solved) for solved in SOLVED):
                yield file.relative_to(PROJECT)


def copy(name, folder):
    """Copy a file, or a folder without what Python has compiled."""
    source, target = PROJECT / name, folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy2(source, target)


if __name__ == "__main__":
    sys.exit(main())
