"""Records a program, and prints what a page shows of the trace, as JSON: `trace_picture.py TITLE STATUS COMMAND ...`.

The word FILE of the command becomes the path of the trace. The pictures are drawn for a wide page and for a phone, in
the page's own light and dark: its style sheet has the variables.
"""

import json
import os
import subprocess
import sys
import tempfile
from io import StringIO

from rich.console import Console

from concmodels.trace.analysis import Analysis
from concmodels.trace.diagram import NARROW, WIDE, draw
from concmodels.trace.reading import read
from concmodels.trace.tables import print_tables


def main(title: str, status: str, *command: str) -> int:
    """Print the pictures and the tables; return the command's exit status if it is not the one that is wanted."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "trace.json")
        words = [{"FILE": file, "python": sys.executable}.get(word, word) for word in command]
        ended = subprocess.run(words, capture_output=True, text=True, check=False)
        if ended.returncode != int(status):
            sys.stderr.write(ended.stdout + ended.stderr)
            return ended.returncode or 1
        trace = read(file)
    text = StringIO()
    print_tables(Analysis(trace), Console(file=text, width=88, highlight=False))
    tables = "\n".join(line.rstrip() for line in text.getvalue().splitlines())
    drawn = {name: draw(trace, title, width=width, style="") for name, width in (("wide", WIDE), ("narrow", NARROW))}
    print(json.dumps(drawn | {"tables": tables}))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
