"""The programs that show traps."""

from site_runs import ROOT, ran

TRAPS = ROOT / "examples" / "traps"

__all__ = ["TRAPS", "ran"]
