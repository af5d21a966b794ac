"""The narrow moments of a wait in the models with memory boundaries: each is made to come, not hoped for."""

import math
import threading
from functools import partial

import pytest
from boundaries import BOTH, in_turn

from concmodels.errors import WouldBlock
from concmodels.models import processes, subinterp
from concmodels.models.memory.channels import layout, select

pytestmark = pytest.mark.usefixtures("nothing_left_behind")

WAYS = {
    "receive": lambda channel: [channel.receive()],
    "a timeout": lambda channel: [channel.receive(60)],
    "iteration": list,
}


def main_late_item(model, take):
    return take(model.Channel(math.inf))


def send_and_close_after_each_look(monkeypatch):
    look = layout.ChannelMemory._look

    def look_and_be_overtaken(channel, head):
        found = look(channel, head)
        if not found and not channel.closed:
            channel.send("late")
            channel.close()
        return found

    monkeypatch.setattr(layout.ChannelMemory, "_look", look_and_be_overtaken)


@pytest.mark.parametrize(("model", "way"), in_turn([processes, subinterp], WAYS))
def test_what_is_sent_right_before_the_close_arrives(model, way, monkeypatch):
    send_and_close_after_each_look(monkeypatch)
    assert model.run(main_late_item, model, WAYS[way]) == ["late"]


def main_late_item_nowait(model):
    channel = model.Channel(math.inf)
    with pytest.raises(WouldBlock):
        channel.receive_nowait()
    assert channel.receive_nowait() == "late"


@pytest.mark.parametrize("model", BOTH)
def test_a_look_that_comes_too_early_is_not_told_that_all_is_over(model, monkeypatch):
    send_and_close_after_each_look(monkeypatch)
    model.run(main_late_item_nowait, model)


class Meddled:
    """A lock; whenever it is given back, the next of `acts` is done, but none in the middle of another."""

    def __init__(self, lock):
        self._lock = lock
        self.acts = []
        self._busy = False
        self.acquire, self.patient = lock.acquire, lock.patient

    def release(self):
        self._lock.release()
        if self.acts and not self._busy:
            self._busy = True
            self.acts.pop(0)()
            self._busy = False

    def __enter__(self):
        self._lock.__enter__()

    def __exit__(self, *_):
        self.release()


def main_meddled(model, take, *acts):
    """Take, and each time the taker lets go of the claim lock, do the next act with its channel."""
    other = model.Channel(math.inf)
    arena = other.home.arena
    arena.claim = meddled = Meddled(arena.claim)
    channel = model.Channel(math.inf)
    left = meddled.acts = [lambda act=act: act(channel) for act in acts]
    taken = take(channel)
    assert not left
    assert not channel._control[layout.RECEIVERS], "somebody is left in the list"
    with pytest.raises(TimeoutError):
        other.receive(0.01)  # a wake-up too many does no harm
    return taken


def send_one(channel):
    channel.send(1)


def send_one_and_take_it(channel):
    channel.send(1)
    assert channel.receive_nowait() == 1


def send_two_and_close(channel):
    channel.send(2)
    channel.close()


def close(channel):
    channel.close()


@pytest.mark.parametrize("model", BOTH)
def test_an_item_comes_as_the_receiver_has_joined_the_list(model):
    assert model.run(main_meddled, model, WAYS["receive"], send_one) == [1]


@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize("way", ["receive", "iteration"])
def test_another_is_faster_and_the_receiver_waits_on(model, way):
    assert model.run(main_meddled, model, WAYS[way], send_one_and_take_it, send_two_and_close) == [2]


@pytest.mark.parametrize("model", BOTH)
def test_the_close_comes_as_the_receiver_has_joined_the_list(model):
    assert model.run(main_meddled, model, WAYS["iteration"], close) == []


def main_overtaken_select(model, monkeypatch):
    first, second, blocked = model.Channel(1), model.Channel(0), []
    wait = select.Selection._wait

    def wait_and_be_overtaken(selection, until):
        first.send("first")
        with pytest.raises(WouldBlock):
            second.send_nowait("second")
        blocked.append("second")
        wait(selection, until)

    monkeypatch.setattr(select.Selection, "_wait", wait_and_be_overtaken)
    return model.select(first, second, priority=True).item, blocked


@pytest.mark.parametrize("model", BOTH)
def test_a_later_case_is_not_done_while_an_earlier_one_is_ready(model, monkeypatch):
    assert model.run(main_overtaken_select, model, monkeypatch) == ("first", ["second"])


class Overtaken:
    """A timeout that is no number; before that is seen, a partner comes."""

    def __init__(self, partner):
        self.partner = partner

    def __float__(self):
        thread = threading.Thread(target=self.partner)
        thread.start()
        thread.join()
        raise TypeError("no number")


def main_bad_timeouts(model):
    channel, seen = model.Channel(0), []
    for timeout in ("soon", math.nan, 0, -1.5, 0.001):
        for wait in (channel.receive, partial(channel.send, 1)):
            with pytest.raises((TypeError, ValueError, TimeoutError)):
                wait(timeout)
            with pytest.raises(WouldBlock):
                channel.send_nowait("nobody is left in the list")
            with pytest.raises(WouldBlock):
                channel.receive_nowait()
    assert channel.receive(Overtaken(lambda: channel.send_nowait("in time"))) == "in time"
    channel.send("taken", Overtaken(lambda: seen.append(channel.receive_nowait())))
    assert seen == ["taken"]


@pytest.mark.parametrize("model", BOTH)
def test_a_timeout_that_is_refused_leaves_nobody_in_the_list(model):
    model.run(main_bad_timeouts, model)


def main_first_send(model, item):
    channel, free = model.Channel(1), []
    home = channel.home
    new_slot = home.new_slot

    def look_at_lock_and_make_slot():
        free.append(channel._senders.acquire(False))
        channel._senders.release()
        return new_slot()

    home.new_slot = look_at_lock_and_make_slot
    thread = threading.Thread(target=channel.send_nowait, args=(item,))
    thread.start()
    thread.join()
    assert channel.receive_nowait() == item
    return free


@pytest.mark.parametrize(("model", "item"), in_turn([processes, subinterp], [None, True, 1, "text"]))
def test_a_thread_gets_its_slot_before_it_takes_a_lock(model, item):
    """In a child that is a question to the supervisor: the lock is not held meanwhile."""
    assert model.run(main_first_send, model, item) == [True]


def main_selects(model):
    one, two = model.Channel(0, "one"), model.Channel(1)
    texts = []
    for timeout in (0, 0.001):
        with pytest.raises(TimeoutError) as caught:
            model.select(two, (one, "item"), timeout=timeout)
        texts.append(str(caught.value))
    return texts


@pytest.mark.parametrize("model", BOTH)
def test_a_select_that_is_not_in_time_says_for_what_it_waited(model):
    wait = "select of receive on a channel without a name, send on channel 'one'"
    assert model.run(main_selects, model) == [f"{wait} would have to wait", f"{wait} timed out"]


@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize("timeout", [-math.inf, -1e12])
def test_a_limit_may_be_over_for_ever(model, timeout):
    def main(model):
        for _ in range(2):  # the second: the first has left nothing behind
            with pytest.raises(TimeoutError, match="has not ended in 0 s"), model.TaskGroup(timeout):
                model.sleep(60)
        model.sleep(0)

    model.run(main, model)
