"""Diagnosis: a task waits for an item, and nobody is left to send one or to close the channel"""


def reliable(model, ask, tries, seconds):
    for _ in range(tries):
        reply = model.Channel(1, "reply")
        ask(reply)
        try:
            return reply.receive()
        except TimeoutError:
            continue
    raise TimeoutError(f"no answer to {tries} tries")
