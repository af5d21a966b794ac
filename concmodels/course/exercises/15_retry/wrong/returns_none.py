"""Diagnosis: nobody answers, and None is returned"""


def reliable(model, ask, tries, seconds):
    for _ in range(tries):
        reply = model.Channel(1, "reply")
        ask(reply)
        try:
            return reply.receive(seconds)
        except TimeoutError:
            continue
