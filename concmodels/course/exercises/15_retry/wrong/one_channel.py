"""Diagnosis: the late answer to the first try is taken for that to the second"""


def reliable(model, ask, tries, seconds):
    reply = model.Channel(1, "reply")
    for _ in range(tries):
        ask(reply)
        try:
            return reply.receive(seconds)
        except TimeoutError:
            continue
    raise TimeoutError(f"no answer to {tries} tries")
