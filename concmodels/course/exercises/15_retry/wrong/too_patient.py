"""Diagnosis: units of time, not after 10"""


def reliable(model, ask, tries, seconds):
    for _ in range(tries):
        reply = model.Channel(1, "reply")
        ask(reply)
        try:
            return reply.receive(2 * seconds)
        except TimeoutError:
            continue
    raise TimeoutError(f"no answer to {tries} tries")
