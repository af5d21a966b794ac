"""Says at the end what the random programs of `test_reduction.py` were compared with, and how many were left out."""

from collections import Counter


def pytest_terminal_summary(terminalreporter):
    counts = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                for name, found in report.user_properties:
                    if name == "random programs":
                        family, told = found
                        counts.setdefault(family, Counter()).update(told)
    for family, told in counts.items():
        terminalreporter.write_line(f"random programs, {family}: " + ", ".join(f"{n:,} {it}" for it, n in told.items()))
