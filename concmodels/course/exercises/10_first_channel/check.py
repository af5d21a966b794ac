from first_channel import consume, produce


def sent(model, items, capacity):
    channel = model.Channel(capacity, "items")
    with model.TaskGroup() as group:
        group.spawn(produce, channel, items)
        received = group.spawn(consume, channel)
    came = received.result()
    assert came is not None, "consume returns nothing"
    came = list(came)
    assert len(came) <= len(items), f"more comes out than was sent: {came}"
    assert len(came) == len(items), f"{len(came)} of {len(items)} items come out"
    assert came == items, f"the order is not kept: {came}"
    assert channel.closed, "the channel is not closed"


def three_items(model):
    sent(model, [1, 2, 3], 1)


def nothing_to_send(model):
    sent(model, [], 1)
