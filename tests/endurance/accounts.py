"""Whether what came was what was sent, told without keeping the items: one byte for each."""


class Wrong(Exception):
    """A message was lost, came twice, or came out of order."""


class Account:
    """What one receiver has got. A number belongs to the sender `number // share`, which sends its own in order."""

    def __init__(self, messages, share):
        self._share = share
        self._seen = bytearray(messages)
        self._latest = {}

    def enter(self, number):
        """One more has come. Raises `Wrong` if its sender has sent a later one before."""
        sender = number // self._share
        latest = self._latest.get(sender, -1)
        if number <= latest:
            raise Wrong(f"{number} of sender {sender} came after {latest}")
        self._latest[sender] = number
        self._seen[number] = 1

    def seen(self):
        """One byte for each number: whether it has come."""
        return bytes(self._seen)


def must_be_exactly_once(seen, messages):
    """Raise `Wrong` unless each number came to exactly one of the receivers."""
    together = 0
    for one in seen:
        mine = int.from_bytes(one)
        if together & mine:
            raise Wrong(f"message {_position(together & mine, messages)} came to two receivers")
        together |= mine
    missing = together ^ int.from_bytes(b"\1" * messages)
    if missing:
        raise Wrong(f"{missing.bit_count()} messages never came, among them {_position(missing, messages)}")


def _position(bits, messages):
    """The first byte that is set, counted from the front."""
    return messages - 1 - (bits.bit_length() - 1) // 8
