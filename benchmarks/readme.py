"""The README's tables of results, from the files in `benchmarks/results/`.

python -m concmodels.ring 300 10000 --model all --json benchmarks/results/ring-stream.json
python -m concmodels.ring 300 1000 --in-flight 1 --model all --json benchmarks/results/ring-token.json
python -m benchmarks.readme      writes both tables into README.md, between their marks
"""

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"


def rows(name: str) -> list[dict[str, Any]]:
    """The runs of a results file, fastest first."""
    runs: list[dict[str, Any]] = json.loads((RESULTS / f"{name}.json").read_text())
    return sorted(runs, key=lambda run: -run["hops_per_s"])


def table(name: str) -> str:
    """The table of a results file, in Markdown."""
    head = ["model", "hops/s", "time per hop", "setup", "run", "CPU", "memory (PSS)", "context switches"]
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *map(cells, rows(name))]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cells(run: dict[str, Any]) -> list[str]:
    """One line of the table."""
    per_hop, switches = run["ns_per_hop"], run["voluntary_switches"] + run["involuntary_switches"]
    return [
        f"`{run['model']}`",
        f"{run['hops_per_s']:,.0f}",
        f"{per_hop:,.0f} ns" if per_hop < 1000 else f"{per_hop / 1000:,.1f} µs",
        f"{run['setup_s']:.2f} s",
        f"{run['run_s']:.2f} s",
        f"{run['cpu_user_s'] + run['cpu_system_s']:.2f} s",
        f"{run['peak_pss_bytes'] / 2**20:,.0f} MiB",
        f"{switches:,}",
    ]


def filled(text: str) -> str:
    """The README with both tables as the results files have them."""
    for name in ("ring-stream", "ring-token"):
        mark = re.compile(rf"(<!-- {name} -->\n).*?(\n<!-- end -->)", re.DOTALL)
        text = mark.sub(lambda found, name=name: found[1] + table(name) + found[2], text)  # type: ignore[misc]
    return text


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(filled(readme.read_text()))
