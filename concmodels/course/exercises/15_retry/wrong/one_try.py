"""Diagnosis: it gives up, though the second try is answered in time"""


def reliable(model, ask, tries, seconds):
    for _ in range(tries):
        reply = model.Channel(1, "reply")
        ask(reply)
        try:
            return reply.receive(seconds)
        except TimeoutError:
            break
    raise TimeoutError(f"no answer to {tries} tries")
