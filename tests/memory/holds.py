"""Holds models to chapters of guarantees, in a process of its own: `python holds.py usual MODEL-CHAPTER ...`.

Its environment may differ from that of the tests. It prints how many guarantees were kept, and fails at the first one
that is not. With `thorough` instead of `usual` it tries all values and many rounds, with `fewest` one value of each.
"""

import faulthandler
import sys
import tempfile
from pathlib import Path

HANGS_S = 60
"""Seconds that one guarantee may take: then all stacks are printed, and the process ends."""


def main(how, *wanted):
    import matrix

    thorough, models, kept, seen = how == "thorough", {}, dict.fromkeys(wanted, 0), set()
    with tempfile.TemporaryDirectory() as folder, matrix.quiet_corner(folder):
        for name, guarantee in matrix.pairs(thorough=thorough):
            if (chapter := f"{name}-{guarantee.chapter}") in kept:
                if how == "fewest" and (name, guarantee.full_name) in seen:
                    continue
                seen.add((name, guarantee.full_name))
                faulthandler.dump_traceback_later(HANGS_S, exit=True)
                if name not in models:
                    models[name] = matrix.model(name, thorough=thorough)
                print(f"{name}-{guarantee}", file=sys.stderr)
                guarantee.hold(models[name])
                kept[chapter] += 1
        faulthandler.cancel_dump_traceback_later()
    for chapter, count in kept.items():
        assert count, f"no guarantee: {chapter}"
    print(sum(kept.values()))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main(*sys.argv[1:])
