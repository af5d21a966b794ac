"""Diagnosis: 4 tries are made where 3 are allowed"""


def reliable(model, ask, tries, seconds):
    for _ in range(tries + 1):
        reply = model.Channel(1, "reply")
        ask(reply)
        try:
            return reply.receive(seconds)
        except TimeoutError:
            continue
    raise TimeoutError(f"no answer to {tries} tries")
