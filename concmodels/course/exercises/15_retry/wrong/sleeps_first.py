"""Diagnosis: it gives up too late"""


def reliable(model, ask, tries, seconds):
    for _ in range(tries):
        reply = model.Channel(1, "reply")
        ask(reply)
        try:
            return reply.receive(seconds)
        except TimeoutError:
            model.sleep(seconds / 4)
    raise TimeoutError(f"no answer to {tries} tries")
