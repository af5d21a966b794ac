"""From the lanes of a recorder to the recording that a file contains."""

import os
from collections import Counter

from concmodels.trace.chrome import ChannelFacts, LaneFacts, Recording
from concmodels.trace.recorder import Recorder, lane_path
from concmodels.trace.rows import BEGIN, RECEIVE, SEND, SPAWN, WORK, Lane, Row, kept_by, read_lane, rows_of


def collect(recorder: Recorder, model: str = "", program: str = "", ended: str | None = None) -> Recording:
    """Return all that was recorded, as it is now."""
    recording = Recording([], {}, model=model, program=program, ended=ended)
    recording.clock = recorder.clock_name
    masks = _read_lanes(recorder, recording)
    mask = max(masks, default=0)
    recording.every = mask + 1
    for lane in recording.lanes:
        lane.rows = kept_by(mask, lane.rows)
    recording.origin = min((row[0] for lane in recording.lanes for row in lane.rows), default=0)
    _find_parents(recorder, recording)
    _number_channels(recorder, recording)
    if recording.every == 1:
        _number_messages(recording)
    return recording


def _read_lanes(recorder: Recorder, recording: Recording) -> list[int]:
    """Put the lanes into the recording; return their masks."""
    here = [(lane, os.getpid(), 0) for lane in recorder.lanes]
    apart = _lanes_apart(recorder)
    places: dict[tuple[int, int], int] = {(os.getpid(), 0): 1}
    recording.processes[1] = recording.model or "main"
    killed = []
    for lane, pid, interpreter in sorted([*here, *apart], key=lambda it: it[0].number):
        place = places.setdefault((pid, interpreter), len(places) + 1)
        if place not in recording.processes:
            recording.processes[place] = f"interpreter {place}" if interpreter else f"process {place}"
        facts = LaneFacts(lane.number, lane.name, rows_of(lane.rows), place, cpu_ns=lane.cpu, ended=_has_ended(lane))
        facts.killed = not facts.ended and place != 1
        if lane.has_gap:
            said = "did too much for a file: besides messages, only its begin and its end are here"
            recording.notes.append(f"{lane.name} {said}")
        if facts.killed:
            killed.append(lane.name)
        recording.lanes.append(facts)
    if killed:
        recording.notes.append(f"killed, or not at their end: {', '.join(killed)}; what they did until then is here")
    return [lane.mask for lane, *_ in [*here, *apart]]


def _has_ended(lane: Lane) -> bool:
    """Return whether a task came to its end; a worker has if it has done all that it has begun."""
    if not lane.is_worker:
        return lane.ended
    rows = rows_of(lane.rows)
    begun = {row[3] for row in rows if row[2] & 255 == BEGIN}
    return begun <= {row[3] for row in rows if row[2] & 255 == WORK}


def _lanes_apart(recorder: Recorder) -> list[tuple[Lane, int, int]]:
    """Return the lanes of other processes and interpreters, with the ids of these."""
    if recorder.folder is None:
        return []
    own = {lane.number for lane in recorder.lanes}
    numbers = sorted(int(name.removesuffix(".lane")) for name in os.listdir(recorder.folder) if name.endswith(".lane"))
    lanes = [read_lane(lane_path(recorder.folder, number), number) for number in numbers if number not in own]
    return [lane for lane in lanes if lane is not None]


def _find_parents(recorder: Recorder, recording: Recording) -> None:
    parents = {row[3]: lane.number for lane in recording.lanes for row in lane.rows if row[2] & 255 == SPAWN}
    for lane in recording.lanes:
        lane.parent = parents.pop(lane.number, None)
    if parents and recorder.folder is not None:
        count = f"{len(parents)} task has no lane: it was" if len(parents) == 1 else (
            f"{len(parents)} tasks have no lane: they were")  # fmt: skip
        recording.notes.append(f"{count} never started, or there was no space left on the disk")


def _number_channels(recorder: Recorder, recording: Recording) -> None:
    """Number the channels from 1 in the order in which they were made, and note what is known of them."""
    known = {number: ChannelFacts(note.name, note.capacity, *note.counts()) for number, note in recorder.notes.items()}
    known |= _channels_apart(recorder)
    done = Counter(row[2] for lane in recording.lanes for row in lane.rows)
    used = {word >> 16 for word in done} - {0}
    numbers = {old: new for new, old in enumerate(sorted(used | known.keys()), 1)} | {0: 0}
    for old, new in numbers.items():
        facts = known.get(old) or ChannelFacts("", float("inf"))
        facts.name = facts.name or f"channel {new}"
        if facts.sent == 0:  # nobody has counted them
            facts.sent, facts.received = done[SEND | old << 16], done[RECEIVE | old << 16]
        if new:
            recording.channels[new] = facts
    for lane in recording.lanes:
        lane.rows = [(begin, end, word & 0xFFFF | numbers[word >> 16] << 16, it) for begin, end, word, it in lane.rows]


def _channels_apart(recorder: Recorder) -> dict[int, ChannelFacts]:
    """Return the channels that have a line in the folder."""
    found: dict[int, ChannelFacts] = {}
    path = f"{recorder.folder}/channels"
    if recorder.folder is None or not os.path.exists(path):
        return found
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    for line in lines:
        try:
            number, run, inner, capacity, name = line.split(" ", 4)
            facts = found[int(number)] = ChannelFacts(name, float(capacity))
        except ValueError:  # the disk was full in the middle of it
            continue
        facts.positioned = inner != "0"
        facts.sent, facts.received = recorder.counts.get((int(run), int(inner)), (0, 0))
    return found


def _number_messages(recording: Recording) -> None:
    """Number the messages of a channel from 0 in the order in which they were received, then those that were not.

    Their numbers have gaps where a send was given up, and among threads they are not quite in the order of the items.
    Beyond a memory boundary they are positions, and right.
    """
    ends: dict[int, dict[int, list[float]]] = {}
    for lane in recording.lanes:
        for row in lane.rows:
            if _is_to_number(row, recording):
                times = ends.setdefault(row[2] >> 16, {}).setdefault(row[3], [float("inf"), float("inf")])
                times[row[2] & 255 == SEND] = row[1]
    ranks = {
        channel: {number: rank for rank, number in enumerate(sorted(those, key=lambda it: (*those[it], it)))}
        for channel, those in ends.items()
    }
    for lane in recording.lanes:
        lane.rows = [
            (*row[:3], ranks[row[2] >> 16][row[3]]) if _is_to_number(row, recording) else row for row in lane.rows
        ]


def _is_to_number(row: Row, recording: Recording) -> bool:
    word = row[2]
    is_message = word & 255 in (SEND, RECEIVE) and not word >> 8 & 255
    return is_message and not recording.channels[word >> 16].positioned
