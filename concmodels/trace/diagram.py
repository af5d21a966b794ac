"""The space-time diagram: a lane for each task, time from left to right, an arrow from each send to its receive.

    main    ━━━━┓····┏━━━━      ━ runs    · waits
    node 1  ····┗━━━━┛····      an arrow is a message

It is SVG, in light and dark by CSS variables, and every part of it has a tooltip. For a page it is drawn twice, for a
wide page and for a phone.
"""

from collections.abc import Iterable

from concmodels.trace import svg
from concmodels.trace.analysis import Analysis, entered
from concmodels.trace.axis import Axis, Cut, duration, idle_times
from concmodels.trace.causes import ASLEEP, FULL, RUNNING, WAITING, Wait
from concmodels.trace.reading import Lane, Row, Trace
from concmodels.trace.schedule import schedule
from concmodels.trace.strips import strips
from concmodels.trace.stuck import stuck, wait_in_words
from concmodels.trace.words import figures, in_words, mark_in_words

WIDE, NARROW = 760, 344
MOST_LANES = 40
_MOST_ARROWS = 2_000
_FEW_ARROWS = 300
"""With more of them, arrows are thin and have no head."""
_SHORT = 4
"""Of a wait that is shorter, in pixels, nobody sees what ended it."""
_WORDS = {RUNNING: "runs", WAITING: "waits", FULL: "blocked on a full channel", ASLEEP: "asleep"}
_CAUSE = "cause"
_HEIGHTS = {RUNNING: 12, FULL: 5, WAITING: 3}


def draw(trace: Trace, title: str, *, width: int = WIDE, style: str = svg.FOR_A_FILE) -> str:
    """Return the picture of a trace as SVG: the schedule of an exploration, a strip for each of many tasks, or lanes.

    If most messages are left out, the trace doesn't say when a task ran; so then there are strips too.

    `style` has the variables of its style sheet.
    """
    if trace.is_schedule:
        return schedule(trace, title, width, style)
    if len(trace.lanes) > MOST_LANES or trace.every > 1:
        return strips(trace, title, width, style)
    return Diagram(trace, title, width).drawn(style)


class Diagram:
    """A picture under way: `parts` is what was drawn, from back to front."""

    def __init__(self, trace: Trace, title: str, width: int) -> None:
        self.trace, self.title, self.width = trace, title, width
        self.analysis = Analysis(trace)
        self.lanes = list(trace.lanes.values())
        self.stuck = stuck(trace)
        self.parts: list[str] = []
        self.names_above = width < 500
        names = max(len(lane.name) for lane in self.lanes) * svg.LETTER + 24
        self.left = 12.0 if self.names_above else min(150.0, names)
        self.axis = self._axis()
        self.causes = self._causes_shown()
        self.apart = 40 if self.names_above else 32
        said = svg.heading(self.parts, width, title, ", ".join(figures(self.analysis)))
        self.top = self._legend(said + 18) + (46 if self.names_above else 36) + 12 * (len(self.axis.cuts) > 1)
        self.y = {lane.number: self.top + self.apart * row for row, lane in enumerate(self.lanes)}
        self.bottom = self.top + self.apart * (len(self.lanes) - 1) + 20

    def drawn(self, style: str) -> str:
        """Return the whole picture."""
        self._time()
        self._spawns()
        for lane in self.lanes:
            self._lane(lane)
        self._causes()
        self._messages()
        for lane in self.lanes:
            self._marks(lane)
        self._circle()
        return svg.whole(self.title, (self.width, self.bottom + 24), style, self.parts)

    def _axis(self) -> Axis:
        running = [time for spent in self.analysis.spent.values() for time in spent.running()]
        starting = [(row.begin, self.trace.lanes[lane].begin) for lane, row in self.trace.spawns.items()]
        moments = [moment for row in self.trace.rows() for moment in (row.begin, row.end)]
        margin = 70 if self.stuck else 14 if all(lane.has_ended for lane in self.lanes) else 52
        asleep = [(row.begin, row.end) for row in self.trace.rows() if row.what == "sleep"]
        idle = idle_times(moments, running, starting, asleep)
        return Axis(self.trace.begin, self.trace.end, self.left, self.width - margin, idle)

    def _legend(self, y: float) -> float:
        """Draw what the bars and lines mean, as far as there are such; return how far down it comes."""
        used = {RUNNING, *(wait.state for spent in self.analysis.spent.values() for wait in spent.waits)}
        x = 12.0
        for state, word in (_WORDS | ({_CAUSE: "ends a wait"} if self.causes else {})).items():
            if state not in used | {_CAUSE}:
                continue
            if x + 26 + len(word) * 5.6 > self.width:
                x, y = 12.0, y + 16
            if state == _CAUSE:
                self.parts.append(svg.path("cause", f"M{x:.1f} {y - 4:.1f}h20{svg.head(1, 0, x + 20, y - 4, 5)}"))
            else:
                self._bar(state, x, x + 20, y - 4, "")
            self.parts.append(svg.text(x + 25, y, word, "soft"))
            x += 25 + len(word) * 5.8 + 16
        return y

    def _time(self) -> None:
        """Draw the ticks, and the times that are cut out."""
        before = 0.0
        for x, label in self.axis.ticks():
            if x > self.width - 24 and x - before < 90:
                continue  # its label would reach into the one before
            before = x
            self.parts.append(svg.path("grid", f"M{x:.1f} {self.top - 18:.0f}V{self.bottom:.0f}"))
            anchor = "start" if x < self.left + 12 else "end" if x > self.width - 24 else "middle"
            self.parts.append(svg.text(x, self.bottom + 15, label, "soft", anchor))
        last, level = -100.0, 0
        for cut in self.axis.cuts:
            left = self.axis(cut.begin)
            level = 1 - level if left - last < 64 else 0
            last = left
            self._cut(cut, level)

    def _cut(self, cut: Cut, level: int) -> None:
        left, right = self.axis(cut.begin) + 5, self.axis(cut.end) - 5
        length, height = duration(cut.end - cut.begin), self.bottom - self.top + 18
        self.parts.append(
            svg.bar(
                "cut", left, right, self.top - 18 + height / 2, height, f"{length}, in which nothing begins or ends"
            )
        )
        for x in (left, right):
            self.parts.append(svg.path("tear", f"M{x:.1f} {self.top - 18:.0f}{'l3 4l-6 4l3 4' * int(height / 12)}"))
        self.parts.append(svg.text((left + right) / 2, self.top - 22 - 11 * level, length, "soft", "middle"))

    def _spawns(self) -> None:
        for number, row in self.trace.spawns.items():
            child = f"{self.axis(self.trace.lanes[number].begin):.1f} {self.y[number]:.0f}"
            tip = f"{self.trace.name(row.lane)} spawns {self.trace.name(number)}"
            self.parts.append(svg.path("spawn", f"M{self.axis(row.begin):.1f} {self.y[row.lane]:.0f}L{child}", tip))

    def _lane(self, lane: Lane) -> None:
        y = self.y[lane.number]
        if self.names_above:
            self.parts.append(svg.text(12, y - 11, svg.fitted(lane.name, self.width - 24), "halo"))
        else:
            self.parts.append(svg.text(12, y + 4, svg.fitted(lane.name, self.left - 20)))
        spent, free = self.analysis.spent[lane.number], 0.0
        for wait in spent.waits:
            left, right = self.axis(wait.row.begin), self.axis(wait.row.end)
            if right - left >= 0.4:
                self._bar(wait.state, left, right, y, in_words(wait, self.trace))
            if wait.row.failed == "timeout" and right - left >= _SHORT:
                self.parts.append(svg.text(right + 2, y - 9, "timed out", "soft halo"))
                free = right + 54
            elif wait.row.what == "socket" and right - left >= 50 and (left + right) / 2 - 18 > free:
                self.parts.append(svg.text((left + right) / 2, y - 6, "socket", "soft", "middle"))
        for begin, end in spent.running():
            tip = f"{lane.name} runs for {duration(end - begin)}, from {duration(begin)}"
            self._bar(RUNNING, self.axis(begin), self.axis(end), y, tip)
        for row in lane.rows:
            if row.what == "work":
                tip = f"{lane.name} does a task of the pool for {duration(row.end - row.begin)}"
                self.parts.append(svg.bar("box", self.axis(row.begin), self.axis(row.end), y, 16, tip))

    def _causes_shown(self) -> list[Wait]:
        """Return the waits that another task ended by something else than a message, if they are not too many."""
        waits = [it for it in self.analysis.waits() if it.cause and it.cause.did not in ("sent", "submitted")]
        shown = [it for it in waits if self.axis(it.row.end) - self.axis(it.row.begin) >= _SHORT]
        return shown if len(shown) <= _FEW_ARROWS and not self.stuck else []

    def _causes(self) -> None:
        """Draw a line from what ended a wait to the end of that wait."""
        for wait in self.causes:
            assert wait.cause is not None
            y, y_end = self.y[wait.cause.lane], self.y[wait.row.lane]
            down = 6 if y_end > y else -6
            x, right = self.axis(wait.cause.at), self.axis(wait.row.end)
            way = f"M{x:.1f} {y + down:.1f}L{right:.1f} {y_end - down:.1f}"
            head = svg.head(right - x, y_end - y, right, y_end - down, 5)
            self.parts.append(svg.path("cause", way + head, in_words(wait, self.trace)))

    def _bar(self, state: str, left: float, right: float, y: float, tip: str) -> None:
        if state == ASLEEP:
            self.parts.append(svg.path("asleep", f"M{left:.1f} {y:.1f}H{right:.1f}", tip))
        else:
            self.parts.append(svg.bar(state, left, right, y, _HEIGHTS[state], tip))

    def _messages(self) -> None:
        pairs = list(self.trace.arrived())
        pairs = pairs[:: -(-len(pairs) // _MOST_ARROWS) or 1]
        is_few = len(pairs) <= _FEW_ARROWS
        self.parts.append(f'<g class="{"few" if is_few else "many"}">')
        for sent, received in pairs:
            self._arrow(sent, received, has_head=is_few)
        for submit, work in self.analysis.pooled()[:_MOST_ARROWS]:
            self._arrow(submit, work, has_head=is_few)
        for sent in self._left_over() if is_few else ():
            name = self.trace.channel(sent.channel).name
            tip = f"{name}: {self.trace.name(sent.lane)} sends at {duration(sent.begin)}, and nobody receives it"
            self.parts.append(
                svg.path("arrow", f"M{self.axis(sent.end):.1f} {self.y[sent.lane] + 6:.1f}v7m-3 0h6", tip)
            )
        self.parts.append("</g>")
        if is_few:
            self._label_channels(pairs)

    def _left_over(self) -> list[Row]:
        """Return the messages that were sent and not received, if they are few."""
        found = [it.sent for it in self.trace.messages.values() if it.sent is not None and it.received is None]
        return found if len(found) <= _FEW_ARROWS else []

    def _arrow(self, sent: Row, received: Row, *, has_head: bool) -> None:
        left, right, y, y_end = self._ends(sent, received)
        down = 6 if y_end > y else -6
        x, begin, end = right - left, y + down, y_end - down
        if y == y_end:
            way, direction = f"q{x / 2:.1f} -16 {x:.1f} 0", (x / 2, 16.0)
            end = begin
        else:
            way, direction = f"L{right:.1f} {end:.1f}", (x, end - begin)
        tail = svg.head(*direction, right, end) if has_head else ""
        sender, receiver = self.trace.name(sent.lane), self.trace.name(received.lane)
        if sent.what == "submit":
            begun = duration(received.begin)
            tip = f"{sender} submits a task at {duration(sent.begin)}, {receiver} begins it at {begun}"
        else:
            name = self.trace.channel(sent.channel).name
            tip = f"{name}: {sender} sends at {duration(sent.begin)}, {receiver} receives at {duration(received.end)}"
        self.parts.append(svg.path("arrow", f"M{left:.1f} {begin:.1f}{way}{tail}", tip))

    def _ends(self, sent: Row, received: Row) -> tuple[float, float, float, float]:
        if sent.what == "submit":
            left, right = self.axis(sent.begin), self.axis(received.begin)
        else:
            left, right = self.axis(entered(sent, received, self.trace)), self.axis(received.end)
        return left, right, self.y[sent.lane], self.y[received.lane]

    def _label_channels(self, pairs: Iterable[tuple[Row, Row]]) -> None:
        """Draw the name of each channel beside one of its arrows, where there is space for it."""
        taken: list[tuple[float, float]] = []
        named = set()
        for sent, received in sorted(pairs, key=lambda it: it[1].end):
            name = self.trace.channel(sent.channel).name
            left, right, y, y_end = self._ends(sent, received)
            # in the space above or below the receiver's lane, where no other lane is
            share = 1 - abs(self.apart / 2 / (y_end - y)) if y != y_end else 0.5
            x, middle = left + (right - left) * share + 4, y + (y_end - y) * share + (4 if y != y_end else -12)
            width = len(name) * 6
            if name in named or x + width > self.width - 4:
                continue
            if any(abs(x - other) < width + 8 and abs(middle - line) < 12 for other, line in taken):
                continue
            named.add(name)
            taken.append((x, middle))
            self.parts.append(svg.text(x, middle, name, "soft halo"))

    def _marks(self, lane: Lane) -> None:
        """Draw what happened at a moment: a close, a cancellation, an error, and the end of a task that was killed."""
        y, free = self.y[lane.number], 0.0
        for row in lane.rows:
            if row.what not in ("close", "cancel", "error"):
                continue
            x = self.axis(row.begin)
            word, tip = mark_in_words(row, self.trace)
            kind = "bad" if word == "error" else "mark"
            shape = "m0-9v18" if row.what == "close" else "m-4-4l8 8m0-8l-8 8"
            self.parts.append(svg.path(kind, f"M{x:.1f} {y:.0f}{shape}", tip))
            if word and x >= free and not self.stuck:
                is_last = x + len(word) * 6 > self.width - 6
                place = (x - 6, y - 9) if is_last else (x + 4, y - 9)
                kind = "bad halo" if word == "error" else "soft halo"
                self.parts.append(svg.text(*place, word, kind, "end" if is_last else "start"))
                free = x + len(word) * 6 + 10
        if not lane.has_ended and not self.stuck:
            self.parts.append(svg.text(self.axis(lane.end) + 5, y + 4, "killed", "bad halo"))

    def _circle(self) -> None:
        """Draw which task waits for which at the end, after a deadlock; not for the tasks of its group."""
        for number, it in enumerate(self.stuck):
            y = self.y[it.lane]
            words = it.what.partition(", which ")[0]
            x = max(12.0, min(self.axis(it.begin) + 6, self.width - 8 - len(words) * 5.8))
            self.parts.append(svg.text(x, y - 8, words, "bad halo"))
            for other in [] if it.is_for_group else it.waits_for:
                self.parts.append(
                    svg.waits_for(self.width - 64, y, self.y[other], number, wait_in_words(it, self.trace))
                )
