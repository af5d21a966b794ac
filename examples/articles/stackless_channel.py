"""A Stackless channel holds nothing: two tasklets meet there, and `preference` says which one goes on."""

import concmodels.stackless as stackless


def receiver(channel: stackless.channel) -> None:
    for _ in range(2):
        print("   received", channel.receive())


def sender(channel: stackless.channel) -> None:
    for word in ("one", "two"):
        print("sending", word)
        channel.send(word)


for preference, what in ((-1, "the receiver goes on at once"), (1, "the sender goes on at once")):
    print(f"preference {preference}: {what}")
    channel = stackless.channel()
    channel.preference = preference
    stackless.tasklet(receiver)(channel)
    stackless.tasklet(sender)(channel)
    stackless.run()
