"""One try, and then the others."""


def reliable(model, ask, tries, seconds):
    reply = model.Channel(1)
    ask(reply)
    try:
        return reply.receive(timeout=seconds)
    except TimeoutError:
        if tries == 1:
            raise
    return reliable(model, ask, tries - 1, seconds)
