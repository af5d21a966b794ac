"""Diagnosis: the last try has not had its time"""


def reliable(model, ask, tries, seconds):
    for number in range(tries):
        reply = model.Channel(1, "reply")
        ask(reply)
        if number == tries - 1:
            break
        try:
            return reply.receive(seconds)
        except TimeoutError:
            continue
    raise TimeoutError(f"no answer to {tries} tries")
