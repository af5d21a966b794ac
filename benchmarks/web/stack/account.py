"""As whom the stack runs. PostgreSQL and PgBouncer refuse root, so for root there must be somebody else.

Somebody else is the user nobody. Where nobody may not enter the folders, a user namespace helps: in it the programs see
themselves as nobody, while the rest of the machine sees root, whose folders they are. Some containers forbid that.
"""

import os
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.cell import NotHere

NOBODY = 65534
_AS_NOBODY = ("unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}")
_FOR_OTHERS = 0o001
_TRY_S = 10


@dataclass(frozen=True)
class Account:
    """An account under which a program is started, so that it does not run as root."""

    owner: int
    """Whose the files must be, as this process sees it."""
    prefix: tuple[str, ...] = ()
    """What stands before the command."""
    options: dict[str, Any] = field(default_factory=dict)
    """Further arguments of `subprocess.Popen`."""

    def own(self, path: Path) -> None:
        """Give a file or a folder to the account."""
        if path.lstat().st_uid != self.owner:
            os.chown(path, self.owner, self.owner, follow_symlinks=False)

    def own_all(self, folder: Path) -> None:
        """Give a folder and everything in it to the account."""
        for path in (folder, *folder.rglob("*")):
            self.own(path)


def account(folders: Iterable[Path]) -> Account:
    """Return as whom programs run that use these folders. Raises `NotHere` if only root could."""
    if shutil.which("setpriv") is None:
        raise NotHere("setpriv is not installed (it is in the package util-linux)")
    if os.geteuid() != 0:
        return Account(os.geteuid())
    if all(map(anybody_may_enter, folders)):
        return Account(NOBODY, options={"user": NOBODY, "group": NOBODY, "extra_groups": []})
    if _namespaces_are_allowed():
        return Account(0, prefix=_AS_NOBODY)
    raise NotHere("PostgreSQL does not run as root, and this checkout is in a folder that nobody else may enter")


def anybody_may_enter(folder: Path) -> bool:
    """Return whether other users than the owner may enter a folder and all that it is in."""
    path = folder.resolve()
    return all(it.stat().st_mode & _FOR_OTHERS for it in (path, *path.parents))


def _namespaces_are_allowed() -> bool:
    if shutil.which("unshare") is None:
        return False
    done = subprocess.run([*_AS_NOBODY, "true"], capture_output=True, timeout=_TRY_S, check=False)
    return done.returncode == 0
