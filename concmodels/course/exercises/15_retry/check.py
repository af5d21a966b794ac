from retry import reliable

UNIT = 0.02


class Server:
    """Answers the n-th try with n, after a delay in units; None: never."""

    def __init__(self, model, group, *delays):
        self.model, self.group, self.delays, self.asked = model, group, delays, []
        self.begin = model.now()

    def ask(self, reply):
        number = len(self.asked)
        self.asked.append(round((self.model.now() - self.begin) / UNIT))
        delay = self.delays[number] if number < len(self.delays) else None
        if delay is not None:
            self.group.spawn(self.answer, reply, number + 1, delay)

    def answer(self, reply, number, delay):
        self.model.sleep(delay * UNIT)
        reply.send(number)


def asked(model, delays, tries=3, seconds=10):
    with model.TaskGroup() as group:
        server = Server(model, group, *delays)
        try:
            found = reliable(model, server.ask, tries, seconds * UNIT)
        except TimeoutError:
            found = "TimeoutError"
        took = (model.now() - server.begin) / UNIT
        group.cancel()
    return found, server.asked, took


def answered_at_once(model):
    found, times, _ = asked(model, [0], seconds=3600 / UNIT)
    assert found == 1, f"the answer to the first try is 1, not {found!r}"
    assert len(times) == 1, f"{len(times)} tries are made, though the first is answered"


def the_first_is_lost(model):
    found, times, _ = asked(model, [None, 5])
    assert found != "TimeoutError", "it gives up, though the second try is answered in time"
    assert found == 2, f"the answer to the second try is 2, not {found!r}"
    assert 8 <= times[1] <= 13, f"the second try comes after {times[1]} units of time, not after 10"


def the_first_is_late(model):
    found, _, _ = asked(model, [13, 7])
    assert found != 1, "the late answer to the first try is taken for that to the second"
    assert found == 2, f"the answer to the second try is 2, not {found!r}"


def nobody_answers(model):
    found, times, took = asked(model, [None] * 10)
    assert found == "TimeoutError", f"nobody answers, and {found!r} is returned"
    assert len(times) <= 3, f"{len(times)} tries are made where 3 are allowed"
    assert len(times) == 3, f"only {len(times)} of 3 tries are made"
    assert took > 27, "the last try has not had its time"
    assert took < 36, "it gives up too late"
