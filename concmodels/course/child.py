"""The process in which an answer is checked: `python -m concmodels.course.child ORDER`; the order is JSON.

Its verdict leaves by what was standard output, with a seal: a message authentication code, whose key comes by standard
input. The key is forgotten before any code of the student's runs. What is left of it is an object of OpenSSL's that can
seal, and does not tell the key. Code in the same process that looks for this object can seal a verdict of its own: no
process can keep a secret from itself. So this stops what is written at random into all descriptors, and no more.
"""

import hmac
import io
import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

from concmodels.course.limits import Limits, limited, supervised

KEY_BYTES = 32


class Tail(io.TextIOBase):
    """A text stream that keeps the end of what is written to it, and no more, however much that is."""

    LONGEST = 1000

    def __init__(self) -> None:
        self.text = ""

    def writable(self) -> bool:
        """Whether it can be written to."""
        return True

    def write(self, text: str) -> int:
        """Take a text, and forget what came long before it."""
        self.text = (self.text + text[-self.LONGEST :])[-self.LONGEST :]
        return len(text)


def main() -> int:
    """Check the answer in the current folder; return the exit status."""
    order = json.loads(sys.argv[1])
    sys.argv = ["check"]
    seal = hmac.new(os.read(0, KEY_BYTES), digestmod="sha256")
    answers = os.dup(1)
    for descriptor, mode in ((0, os.O_RDONLY), (1, os.O_WRONLY)):
        os.dup2(os.open(os.devnull, mode), descriptor)
    limits = Limits(**order["limits"])
    work = partial(_check_and_send, order, seal, answers)
    if not hasattr(os, "fork"):
        return work()
    limited(limits)
    return supervised(work, limits)


def _check_and_send(order: dict[str, Any], seal: hmac.HMAC, answers: int) -> int:
    from concmodels.course.catalogue import exercise
    from concmodels.course.checking import checked, replayed
    from concmodels.explore import CannotExplore

    sys.stdout = printed = Tail()
    its = exercise(order["exercise"])
    folder = Path.cwd()
    told: Any
    if order["replay"]:
        try:
            told = {"played": replayed(its, *order["replay"])}
        except CannotExplore as error:
            told = {"refused": str(error)}
    else:
        told = checked(its).to_json() | {"printed": printed.text}
    os.chdir(folder)
    body = json.dumps(told).encode()
    seal.update(body)
    left = seal.hexdigest().encode() + body
    while left:
        left = left[os.write(answers, left) :]
    return 0


if __name__ == "__main__":
    done = main()
    sys.stderr.flush()
    os._exit(done)  # what the student's code has registered to run at exit would run after the verdict
