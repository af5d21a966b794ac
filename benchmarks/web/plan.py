"""The plan of a load: where to, what, how often and how long is sent, and within which bounds."""

import ipaddress
import re
from dataclasses import dataclass

from concmodels.net.addresses import address_text
from concmodels.programs import limits
from concmodels.programs.output.streams import BadInput

MOST_CONNECTIONS, MOST_PER_SECOND = 20_000, 100_000
SHORTEST_S, LONGEST_S, LONGEST_WARMUP_S = 0.1, 60, 10
_BYTES_PER_CONNECTION = 16 * 1024  # ours and the kernel's, both ends
_LONGEST_PATH = 2000
_TARGET = re.compile(r"(?:http://)?(\[[^]]*\]|[^/:]*)(?::([0-9]{1,5}))?(.*)")


@dataclass(frozen=True)
class Target:
    """An address of this machine, and a path."""

    host: str
    port: int
    path: str

    @property
    def address(self) -> str:
        """The host and the port: `127.0.0.1:8000`."""
        return address_text(self.host, self.port)


@dataclass(frozen=True)
class Kind:
    """One kind of request: its path, and its share of all requests, from 0 to 1."""

    path: str
    share: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A run of the generator. Without a rate the loop is closed."""

    target: Target
    connections: int = 64
    seconds: float = 5.0
    warmup_s: float = 0.0
    """The time before those seconds: what is due then is sent, and does not count."""
    rate: float | None = None
    """Requests per second of the open loop."""
    even: bool = False
    """Whether they are evenly spaced; otherwise they come at random, as independent users do (Poisson)."""
    others: tuple[Kind, ...] = ()
    """Further paths; the target's own path has the rest of the requests."""
    body: bytes | None = None
    """What each answer must have as its body; None for anything."""
    tls: str | None = None
    """The file of the certificate that is trusted; None for connections without TLS."""
    seed: int = 1
    grace_s: float = 2.0
    """How long answers are waited for at the end."""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """All kinds of requests, the target's own path first."""
        return (Kind(self.target.path, 1 - sum(kind.share for kind in self.others)), *self.others)

    def check(self) -> None:
        """Raise `BadInput` or `TooLarge` if this can't be done here; raise the limit on descriptors if need be."""
        _between("--connections", self.connections, 1, MOST_CONNECTIONS)
        _between("--seconds", self.seconds, SHORTEST_S, LONGEST_S)
        _between("--warmup", self.warmup_s, 0, LONGEST_WARMUP_S)
        if self.rate is not None and not 0 < self.rate <= MOST_PER_SECOND:
            raise BadInput(f"--rate must be above 0 and at most {MOST_PER_SECOND:,} a second, not {self.rate:g}")
        if self.even and self.rate is None:
            raise BadInput("--even is for an open loop: give it a --rate")
        if not all(0 < kind.share < 1 for kind in self.others) or self.kinds[0].share <= 0:
            raise BadInput("the shares of --mix must be above 0, and their sum below 1")
        limits.check(
            f"a load on {self.connections:,} connections", os_tasks=0, in_one_memory=True,
            descriptors=self.connections + 2, memory=self.connections * _BYTES_PER_CONNECTION,
            advice="ask for fewer connections",
        )  # fmt: skip


def target(text: str) -> Target:
    """Return what `HOST:PORT/PATH` names. Raises `BadInput` unless that is on this machine."""
    found = _TARGET.fullmatch(text)
    if found is None or not found[1]:
        raise BadInput(f"{text!r} is no address; write HOST:PORT/PATH, as in 127.0.0.1:8000/json")
    host = _loopback(found[1].strip("[]"))
    port = int(found[2] or 80)
    if not 0 < port < 65536:
        raise BadInput(f"a port is a number from 1 to 65535, not {port}")
    return Target(host, port, checked_path(found[3] or "/"))


def checked_path(path: str) -> str:
    """Return the path. Raises `BadInput` if it can't stand in a request."""
    if not re.fullmatch(r"/[!-~]*", path) or len(path) > _LONGEST_PATH:
        raise BadInput(f"a path begins with a slash, and has printable ASCII without spaces; {path[:60]!r} is none")
    return path


def _loopback(host: str) -> str:
    """Return the address of this host, which must be this machine's own; no other name is looked up."""
    if host == "localhost":
        return "127.0.0.1"
    try:
        if ipaddress.ip_address(host).is_loopback:
            return host
    except ValueError:
        pass
    raise BadInput(f"this is a load generator: it only talks to this machine (127.0.0.1, [::1]), not to {host!r}")


def _between(option: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise BadInput(f"{option} must be from {least:g} to {most:,}, not {value:g}")
