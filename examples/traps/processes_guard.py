"""A program without `if __name__ == "__main__":` starts a process, which runs the program, which starts a ..."""

import subprocess
import sys
import textwrap
from pathlib import Path
from tempfile import TemporaryDirectory

BARE = """
import multiprocessing
multiprocessing.Process(target=print, args=("hello",)).start()
"""
MODEL = """
from concmodels import load

def hello():
    print("hello")

def main(model):
    with model.TaskGroup() as group:
        group.spawn(hello)

processes = load("processes")
processes.run(main, processes)
"""


def last_words(program: str) -> str:
    """The first sentence of the last error that it prints."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "unguarded.py")
        file.write_text(program)
        done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
    words = done.stderr.split()
    start = max(at for at, word in enumerate(words) if word.endswith(("RuntimeError:", "CannotTravel:")))
    return " ".join(words[start:]).partition(". ")[0].rstrip(" +-")


if __name__ == "__main__":
    for name, program in (("multiprocessing", BARE), ("the model", MODEL)):
        print(textwrap.fill(f"{name}: {last_words(program)}", 88, subsequent_indent="    "))
