"""Ask until there is an answer: each try has a channel of its own."""


def reliable(model, ask, tries, seconds):
    for _ in range(tries):
        reply = model.Channel(1, "reply")
        ask(reply)
        try:
            return reply.receive(seconds)
        except TimeoutError:
            continue
    raise TimeoutError(f"no answer to {tries} tries")
