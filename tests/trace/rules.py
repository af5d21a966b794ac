"""The rules that a file must keep, so that Perfetto imports it as it is meant. `broken_rules` lists what breaks them.

1. Metadata is first; then come the events, in the order of their time.
2. A receive that waited has two slices: the wait, and then a short one in which the message is there.
3. An arrow begins at the begin of a slice that sends, and ends, bound to the slice around it, at the begin of one that
   receives; both have the same category, name and id. None goes back in time.
4. The slices of a lane don't overlap: they follow each other, or one lies within the other.
5. A lane belongs to one process, and its number occurs once in the file.
6. The category of a slice says what it is, so that a viewer gives it its shade.
"""

from collections import defaultdict

CATEGORIES = {"send", "receive", "wait", "work", "failed"}
_NANOSECOND = 0.001  # times are microseconds with three decimals
_HALF = _NANOSECOND / 2


def broken_rules(content):
    """Return a sentence for each rule that a file breaks, which begins with the number of the rule."""
    events = content["traceEvents"]
    first = next((index for index, it in enumerate(events) if it["ph"] != "M"), len(events))
    rest = events[first:]
    return [*_order(rest), *_receives(rest), *_arrows(rest), *_nesting(rest), *_lanes(events), *_categories(rest)]


def arrows(content):
    """Return for each arrow the lane and the time of its begin, and of its end."""
    ends = {it["id"]: it for it in content["traceEvents"] if it["ph"] == "f"}
    return [((it["tid"], it["ts"]), (ends[it["id"]]["tid"], ends[it["id"]]["ts"]))
            for it in content["traceEvents"] if it["ph"] == "s" and it["id"] in ends]  # fmt: skip


def _order(rest):
    if any(it["ph"] == "M" for it in rest):
        yield "1: metadata after an event"
    times = [it["ts"] for it in rest if it["ph"] != "M"]
    if times != sorted(times):
        yield "1: the events are not in the order of their time"


def _receives(rest):
    for it in _slices(rest):
        if it["cat"] == "receive" and it["dur"] > 0.1 + _HALF:
            yield f"2: a receive takes {it['dur']} us, with its wait"
            return


def _arrows(rest):
    begins, ends = {}, {}
    slices = {(it["tid"], it["ts"], it["cat"]) for it in _slices(rest)}
    for it in rest:
        if it["ph"] not in "sf":
            continue
        found = begins if it["ph"] == "s" else ends
        if it["id"] in found:
            yield f"3: two arrows have the id {it['id']}"
        found[it["id"]] = it
        cat = "send" if it["ph"] == "s" else "receive"
        if (it["tid"], it["ts"], cat) not in slices:
            yield f"3: an arrow {'begins' if cat == 'send' else 'ends'} at no slice that could {cat}"
        if cat == "receive" and it.get("bp") != "e":
            yield "3: an arrow ends without bp"
    if begins.keys() != ends.keys():
        yield f"3: {len(begins)} arrows begin, {len(ends)} end"
    for number in begins.keys() & ends.keys():
        begin, end = begins[number], ends[number]
        if (begin["cat"], begin["name"]) != (end["cat"], end["name"]):
            yield "3: the ends of an arrow have other names"
        if end["ts"] < begin["ts"]:
            yield "3: an arrow goes back in time"


def _nesting(rest):
    around = defaultdict(list)
    for it in _slices(rest):
        ends = around[it["tid"]]
        while ends and ends[-1] <= it["ts"] + _HALF:
            ends.pop()
        end = it["ts"] + it["dur"]
        if ends and end > ends[-1] + _HALF:
            yield f"4: slices of lane {it['tid']} overlap at {it['ts']}"
            return
        ends.append(end)


def _lanes(events):
    process, named = {}, set()
    for it in events:
        if it["ph"] == "M" and it["name"] == "process_name":
            continue
        if process.setdefault(it["tid"], it["pid"]) != it["pid"]:
            yield f"5: lane {it['tid']} is in two processes"
            return
        if it["ph"] == "M" and it["name"] == "thread_name":
            if it["tid"] in named:
                yield f"5: lane {it['tid']} has two names"
            named.add(it["tid"])
    if set(process) - named:
        yield f"5: lanes without a name: {sorted(set(process) - named)}"


def _categories(rest):
    for it in _slices(rest):
        if it["cat"] not in CATEGORIES:
            yield f"6: a slice has the category {it['cat']}"
            return


def _slices(rest):
    return (it for it in rest if it["ph"] == "X")
