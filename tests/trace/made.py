"""Traces whose every moment is known: made from rows, as the recorder would write them."""

import json

from concmodels.trace.reading import of_content

MARKS = {"start", "end", "spawn", "close", "cancel", "error", "submit", "begin", "step", "killed"}


def content(lanes, channels=(), **about):
    """The content of a file. `lanes` has rows by name: (what, begin, end, channel, number, failed), the last optional;
    `channels` has (name, capacity) in the order of their numbers."""
    numbers = dict(zip(lanes, range(1, len(lanes) + 1), strict=True))
    described = {}
    events = []
    for name, rows in lanes.items():
        mine = ("spawn", numbers[name])
        parents = [numbers[other] for other, its in lanes.items() for row in its if row[:1] + row[4:5] == mine]
        described[str(numbers[name])] = {
            "name": name, "parent": parents[0] if parents else None, "pid": 1, "cpu_ns": about.get("cpu", {}).get(name),
            "ended": any(row[0] == "end" for row in rows), "sent": 0, "received": 0,
        }  # fmt: skip
        events += [event(numbers[name], *row) for row in rows]
    about.pop("cpu", None)
    received = [row for rows in lanes.values() for row in rows if row[0] == "receive" and len(row) < 6]
    other = {
        "format": "concmodels trace 1", "program": "", "model": "threads", "python": "3.14.8",
        "clock": "perf_counter_ns", "unit": "ns", "cpus": 2, "every": 1, "ended": None, "waits": [], "cut": False,
        "notes": [],
        "channels": {
            str(number): {
                "name": name, "capacity": capacity, "sent": 0,
                "received": sum(row[3] == number for row in received),
            }
            for number, (name, capacity) in enumerate(channels, 1)
        },
        "lanes": described,
    }  # fmt: skip
    return {"otherData": other | about, "displayTimeUnit": "ns", "traceEvents": sorted(events, key=lambda it: it["ts"])}


def event(lane, what, begin, end, channel=0, number=0, failed=None, **more):
    arguments = {
        "what": what,
        "channel": channel,
        "number": number,
        "begin": begin,
        "end": end,
        "failed": failed,
    } | more
    kind = {"ph": "i", "s": "t"} if what in MARKS else {"ph": "X", "dur": (end - begin) / 1000}
    return {"name": what, "cat": what, "pid": 1, "tid": lane, "ts": begin / 1000, "args": arguments} | kind


def trace(lanes, channels=(), **about):
    return of_content(json.loads(json.dumps(content(lanes, channels, **about))))


STALL = {
    "main": [
        ("start", 0, 0),
        ("spawn", 10, 10, 0, 2), ("spawn", 20, 20, 0, 3),
        ("receive", 30, 180, 2, 0), ("receive", 190, 340, 2, 1),
        ("join", 350, 400),
        ("end", 410, 410),
    ],
    "source": [
        ("start", 15, 15),
        ("send", 20, 21, 1, 0), ("send", 25, 40, 1, 1), ("send", 45, 190, 1, 2),
        ("close", 195, 195, 1),
        ("end", 200, 200),
    ],
    "store": [
        ("start", 30, 30),
        ("receive", 32, 36, 1, 0), ("sleep", 40, 170), ("send", 175, 181, 2, 0),
        ("receive", 182, 185, 1, 1), ("sleep", 190, 330), ("send", 335, 341, 2, 1),
        ("receive", 345, 350, 1, 2),
        ("end", 390, 390),
    ],
}  # fmt: skip
"""A source, a store that sleeps, and main, which receives: all wait for the store."""
STALL_CHANNELS = (("boxes", 1), ("stored", None))
