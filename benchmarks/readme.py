"""The README's tables of results, from the files in `benchmarks/results/`.

python -m concmodels.ring 300 10000 --model all --json benchmarks/results/ring-stream.json
python -m concmodels.ring 300 1000 --in-flight 1 --model all --json benchmarks/results/ring-token.json
python -m concmodels.pool 40 --work io --model all --json benchmarks/results/pool-io.json
python -m benchmarks.pools --json benchmarks/results/pools.json
python -m benchmarks.readme      writes the tables into README.md, between their marks
"""

import json
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"


def read(name: str) -> Any:
    """What stands in a results file."""
    return json.loads((RESULTS / f"{name}.json").read_text())


def markdown(head: list[str], lines: list[list[str]], left: int = 1) -> str:
    """A table in Markdown, of which so many columns are text."""
    ruler = ["---"] * left + ["---:"] * (len(head) - left)
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ruler, *lines))


def ring(name: str) -> str:
    """The table of the ring on all models, the fastest first."""
    head = ["model", "hops/s", "time per hop", "setup", "run", "CPU", "memory (PSS)", "context switches"]
    runs = sorted(read(name), key=lambda run: -run["hops_per_s"])
    return markdown(head, [[f"`{run['model']}`", f"{run['hops_per_s']:,.0f}", *_per_hop(run)] for run in runs])


def _per_hop(run: dict[str, Any]) -> list[str]:
    per_hop = run["ns_per_hop"]
    return [f"{per_hop:,.0f} ns" if per_hop < 1000 else f"{per_hop / 1000:,.1f} µs", *_costs(run), _switches(run)]


def _costs(run: dict[str, Any]) -> list[str]:
    return [
        f"{run['setup_s']:.2f} s",
        f"{run['run_s']:.2f} s",
        f"{run['cpu_user_s'] + run['cpu_system_s']:.2f} s",
        f"{run['peak_pss_bytes'] / 2**20:,.0f} MiB",
    ]


def _switches(run: dict[str, Any]) -> str:
    return f"{run['voluntary_switches'] + run['involuntary_switches']:,}"


def pool(name: str) -> str:
    """The table of the pool program on all models, the fastest first."""
    head = ["model", "tasks/s", "speed-up", "setup", "run", "CPU", "memory (PSS)"]
    runs = sorted(read(name), key=lambda run: -run["tasks_per_s"])
    return markdown(
        head,
        [[f"`{run['model']}`", f"{run['tasks_per_s']:.1f}", f"{run['speedup']:.2f}", *_costs(run)] for run in runs],
    )


def pools(name: str) -> str:
    """The table of the pools against others; `io` is in a table of its own."""
    head = ["model", "a task", "against", "ours, per task", "theirs, per task", "times as fast (spread)"]
    return markdown(head, [_against(row) for row in read(name)["rows"] if row["best_peer"]], left=3)


def _against(row: dict[str, Any]) -> list[str]:
    ratios, ours = sorted(row["ratios"]), statistics.median(row["seconds_per_task"])
    theirs = statistics.median(row["peers"][row["best_peer"]])
    spread = f"{row['ratio']:.3g} ({ratios[0]:.3g} to {ratios[-1]:.3g})"
    return [f"`{row['model']}`", row["work"], row["best_peer"], _short(ours), _short(theirs), spread]


def _short(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.2f} µs"


TABLES: dict[str, Callable[[str], str]] = {"ring-stream": ring, "ring-token": ring, "pool-io": pool, "pools": pools}


def filled(text: str) -> str:
    """The README with its tables as the results files have them."""
    for name, table in TABLES.items():
        start, end = f"<!-- {name} -->\n", "<!-- end -->"
        before, mark, rest = text.partition(start)
        if mark:
            text = f"{before}{start}{table(name)}\n{end}{rest.partition(end)[2]}"
    return text


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(filled(readme.read_text()))
