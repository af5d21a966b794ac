"""Ask until there is an answer."""


def reliable(model, ask, tries, seconds):
    reply = model.Channel(1, "reply")
    ask(reply)
    return reply.receive()
