"""What an interrupted run must leave: each accepted item received once or still receivable, and channels that work.

    accepted        the sends that returned, as the sender noted them; one more if Ctrl-C rose in the sender's own code
                    between the return of `send` and the note
    received        the items noted by the receiver; one less than were taken if Ctrl-C rose in the receiver's own code
                    between the return of `receive` and the note: that one was the program's to lose, not the library's
    still there     what `receive_nowait` gives afterwards

A Ctrl-C that rose inside the library, and a cancellation, leave no such doubt: the operation has then done nothing at
all.
"""

from concmodels.conformance.guarantees.tools import drain


class Page:
    """What one task has done. `with page:` notes how it ended."""

    def __init__(self):
        self.sent = self.received = 0
        self.began = self.over = self.in_its_own_code = False

    def must_be_due(self, number):
        """Raise unless this is the number after the last one."""
        assert number == self.received, f"{number} came when {self.received} was due"

    def __enter__(self):
        self.began = True

    def __exit__(self, kind, error, trace):
        self.over = True
        self.in_its_own_code = _rose_in_handler(trace)


def _rose_in_handler(trace):
    """Whether the signal handler itself raised, so in the program's own code; the library raises elsewhere."""
    while trace is not None:
        if trace.tb_frame.f_code.co_name == "_handle":
            return True
        trace = trace.tb_next
    return False


class Book:
    """One run: its channels, the main task's page and the other task's."""

    def __init__(self, model, kind, capacity):
        self.channels = [model.Channel(capacity) for _ in range(2)]
        self.main, self.others = Page(), Page()
        there, back = self.channels
        self.ways = {
            "main_exchanges": [(there, self.main, self.others), (back, self.others, self.main)],
            "main_consumes": [(there, self.others, self.main)],
            "main_receives": [(there, self.others, self.main)],
            "main_produces": [(there, self.main, self.others)],
        }[kind]

    def balance(self):
        """Raise unless the account of every channel is right; return how many items were the program's to lose."""
        assert self.others.over or not self.others.began, "the other task has not ended"
        return sum(self._balance(*way) for way in self.ways)

    def _balance(self, channel, sender, receiver):
        left = drain(channel)  # hangs if the lock was left held, which the program's watchdog tells
        taken = receiver.received
        lost = int(receiver.in_its_own_code and bool(left and left[0] == taken + 1))
        assert left == list(range(taken + lost, taken + lost + len(left))), f"after {taken} of it lay there: {left[:9]}"
        accounted, doubt = taken + lost + len(left), sender.in_its_own_code
        if receiver.in_its_own_code and not lost and accounted == sender.sent - 1:
            lost, accounted = 1, accounted + 1  # the last one of all was under way
        assert sender.sent <= accounted <= sender.sent + doubt, (
            f"{sender.sent} were accepted, {taken} received, {len(left)} lie there; "
            f"in own code: sender {sender.in_its_own_code}, receiver {receiver.in_its_own_code}"
        )
        return lost
