"""Where PostgreSQL, PgBouncer and nginx are: unpacked by `sh tools/web.sh`, or installed on this machine."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cell import NotHere
from benchmarks.interpreters import ROOT

UNPACKED = ROOT / ".python" / "web-debian"
_POSTGRES_FOLDERS = Path("/usr/lib/postgresql")
_DEBIANS_SBIN = "/usr/sbin"  # not on the PATH of users there
_VERSION_S = 10


@dataclass(frozen=True)
class Components:
    """The programs of the stack."""

    pgbouncer: Path
    postgres: Path
    initdb: Path
    nginx: Path

    versions: dict[str, str]
    """By the names of the three."""

    def paths(self) -> tuple[Path, ...]:
        """Return where the programs are."""
        return self.pgbouncer, self.postgres, self.initdb, self.nginx

    @property
    def major(self) -> str:
        """The version of PostgreSQL that its data depends on: 18."""
        return self.versions["PostgreSQL"].partition(".")[0]


def components() -> Components:
    """Return where the programs are. Raises `NotHere` if one is missing."""
    pgbouncer, postgres, nginx = _program("PgBouncer", "pgbouncer"), _postgres(), _program("nginx", "nginx")
    versions = {
        "PostgreSQL": version(postgres, "--version"),
        "PgBouncer": version(pgbouncer, "--version"),
        "nginx": version(nginx, "-v"),
    }
    return Components(pgbouncer, postgres, postgres.with_name("initdb"), nginx, versions)


def _program(title: str, name: str) -> Path:
    unpacked = UNPACKED / "usr" / "sbin" / name
    if unpacked.exists():
        return unpacked
    found = shutil.which(name) or shutil.which(name, path=_DEBIANS_SBIN)
    if found is None:
        raise _missing(title, name)
    return Path(found).resolve()


def _postgres() -> Path:
    """Return the server of the newest version; initdb lies beside it, as it does wherever PostgreSQL is installed."""
    on_path = shutil.which("postgres")
    places = _newest_first(UNPACKED / "usr" / "lib" / "postgresql")
    places += [Path(on_path).resolve()] if on_path else []
    places += _newest_first(_POSTGRES_FOLDERS)
    for place in places:
        if place.with_name("initdb").exists():
            return place
    raise _missing("PostgreSQL", "postgresql")


def _newest_first(folder: Path) -> list[Path]:
    versions = [it for it in folder.glob("*/bin/postgres") if it.parent.parent.name.isdigit()]
    return sorted(versions, key=lambda it: int(it.parent.parent.name), reverse=True)


def _missing(title: str, package: str) -> NotHere:
    return NotHere(f"{title} is not installed (apt-get install {package}, or on Debian `sh tools/web.sh`)")


def version(program: Path, option: str) -> str:
    """Return the version that a program says it has. Raises `NotHere` if it does not run."""
    try:
        done = subprocess.run([program, option], capture_output=True, text=True, timeout=_VERSION_S, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise NotHere(f"{os.fspath(program)} does not run here: {error}") from None
    found = re.search(r"\d+(\.\d+)+", done.stdout + done.stderr)
    return found[0] if found else "unknown"
