"""The rules of a trace's file, learnt from what Perfetto's importer needs; and what a trace says, counted."""

import json
from collections import Counter

CATEGORIES = {"send", "receive", "wait", "work", "step", "failed"}
SHORT_NS = 100


def read(path):
    """Return what the file contains."""
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def broken(content):
    """Return the rules that a trace breaks, one sentence each."""
    found, events = [], content["traceEvents"]
    first = next((place for place, it in enumerate(events) if it["ph"] != "M"), len(events))
    timed = events[first:]
    if any(it["ph"] == "M" for it in timed):
        found.append("metadata after an event")
        timed = [it for it in timed if it["ph"] != "M"]
    if not {it["ph"] for it in timed} <= set("Xisf"):
        found.append("an event of another kind")
    if [it["ts"] for it in timed] != sorted(it["ts"] for it in timed):
        found.append("events not in the order of time")
    found += _slices(timed)
    found += _arrows(timed)
    found += _lanes(events, timed, content["otherData"]["lanes"])
    return found


def _slices(timed):
    """A receive that waited has two slices, the second of them short: there the arrow ends. Each has its category."""
    for it in timed:
        if it["ph"] == "X" and it["cat"] == "receive" and _ns(it["dur"]) > SHORT_NS:
            yield "a receive with its wait"
        if it["ph"] == "X" and it["cat"] not in CATEGORIES:
            yield f"a slice of the category {it['cat']}"


def _arrows(timed):
    begun = {it["id"]: it for it in timed if it["ph"] == "s"}
    ended = {it["id"]: it for it in timed if it["ph"] == "f"}
    if len(begun) + len(ended) != sum(it["ph"] in "sf" for it in timed):
        yield "two arrows of one id"
    if begun.keys() != ended.keys():
        yield f"{len(begun)} arrows begin, and {len(ended)} end"
    for number in begun.keys() & ended.keys():
        begin, end = begun[number], ended[number]
        if any(begin[key] != end[key] for key in ("name", "cat")) or end.get("bp") != "e":
            yield f"arrow {number} has ends that don't belong together"
        if end["ts"] < begin["ts"]:
            yield f"arrow {number} goes back in time"
    slices = {(it["tid"], it["ts"], it["args"]["what"]) for it in timed if it["ph"] == "X"}
    for ends, what in ((begun, "send"), (ended, "receive")):
        for it in ends.values():
            if (it["tid"], it["ts"], what) not in slices:
                yield f"arrow {it['id']} is not at the start of a {what}"


def _lanes(events, timed, lanes):
    places = {(it["tid"], it["pid"]) for it in events}
    if len(places) != len({lane for lane, _ in places}):
        yield "a lane in two processes"
    if {str(lane) for lane, _ in places} != lanes.keys():
        yield "not every lane is described"
    for lane, _ in places:
        open_until = []
        slices = [it for it in timed if it["ph"] == "X" and it["tid"] == lane]
        for begin, end in sorted(((_ns(it["ts"]), _ns(it["ts"] + it["dur"])) for it in slices), key=_outer_first):
            while open_until and open_until[-1] <= begin:
                open_until.pop()
            if open_until and end > open_until[-1]:
                yield f"slices of lane {lane} overlap at {begin} ns"
                break
            open_until.append(end)


def _outer_first(slice_):
    return slice_[0], -slice_[1]


def _ns(microseconds):
    return round(microseconds * 1000)


def arrows(content):
    """Return the number of arrows."""
    return sum(it["ph"] == "s" for it in content["traceEvents"])


def operations(content):
    """Return how often each thing was done, and did not fail."""
    return Counter(
        it["args"]["what"] for it in content["traceEvents"] if "what" in it.get("args", ()) and not it["args"]["failed"]
    )


def unmatched(content):
    """Return for each channel what it has in `otherData` that its arrows do not confirm."""
    ends = {}
    for it in content["traceEvents"]:
        args = it.get("args", {})
        if args.get("what") in ("send", "receive") and not args["failed"]:
            ends.setdefault((args["channel"], args["what"]), []).append(args["number"])
    wrong = []
    for number, channel in content["otherData"]["channels"].items():
        sent, received = (ends.get((int(number), what), []) for what in ("send", "receive"))
        if len(set(sent)) != len(sent) or len(set(received)) != len(received) or not {*received} <= {*sent}:
            wrong.append(f"{channel['name']}: messages with the same number, or received and never sent")
        if (len(sent), len(received)) != (channel["sent"], channel["received"]):
            wrong.append(f"{channel['name']}: {len(sent)} sends, {len(received)} receives, and {channel}")
    return wrong
