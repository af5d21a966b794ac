"""A sender that is about to wait, and a close at that very moment: the sender hears of it."""

import threading

import pytest
from commands import skip_unless_here

from concmodels import catalog
from concmodels.errors import ChannelClosed

HEAD_START_S = 0.2  # for the close, which may end in this time, or has to wait for the sender
PATIENCE_S = 50


class CloseInBetween:
    """Makes the channel's next look for room a look before the close, and what follows on it an act after the close."""

    def __init__(self, channel):
        self._channel, self._look = channel, channel._is_full
        self.closing = threading.Thread(target=channel.close)

    def __call__(self):
        full = self._look()
        if full and self.closing.ident is None:
            self.closing.start()
            self.closing.join(HEAD_START_S)
        return full


@pytest.mark.parametrize("name", ["processes", "subinterp"])
def test_a_sender_between_its_look_and_its_wait_hears_of_the_close(name, monkeypatch):
    skip_unless_here(name)
    model = catalog.load(name)

    def main():
        channel = model.Channel(1)
        channel.send("fills it")
        between = CloseInBetween(channel)
        monkeypatch.setattr(type(channel), "_is_full", lambda _: between())
        with pytest.raises(ChannelClosed):
            channel.send("too much", PATIENCE_S)
        between.closing.join()

    model.run(main)
