"""Where the project lies: links to it, "Edit this page", and the commands that fetch it.

The address is that of the repository's own page: `Repository` in the `[project.urls]` of pyproject.toml. A copy of the
project says its own in the variable CONCMODELS_REPOSITORY, or by `-D repository=`. Without an address there are no
links, and the reader is sent to the folder that they got.

CONCMODELS_BRANCH (`-D branch=`) is the branch that pages are edited on. The theme knows how pages are edited on HOSTS;
for another one CONCMODELS_EDIT (`-D edit=`) says it, with `{filename}` where the file in docs/ belongs.
"""

import os
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

from concdocs.places import Directive, fenced

HOSTS = ("github.com", "gitlab.com", "bitbucket.org")
METADATA = Path(__file__).resolve().parents[3] / "pyproject.toml"

FOLDER = "Open a terminal in the folder that you got. If it is a ZIP file, unpack it first."


class Clone(Directive):
    """The reader's way into the project's folder: the commands, or a sentence while the project has no address."""

    def build(self) -> list[nodes.Node]:
        if not (address := self.config.repository):
            return self.markdown(FOLDER)
        return self.markdown(
            "Get the project:\n\n" + fenced(f"$ git clone {address} concmodels\n$ cd concmodels", "console")
        )


def published() -> str:
    """The address in the project's metadata, or an empty string."""
    return tomllib.loads(METADATA.read_text())["project"].get("urls", {}).get("Repository", "")


def link(app: Sphinx, config: Config) -> None:
    """For `config-inited`: tell the theme."""
    config.repository = config.repository.rstrip("/")
    if not config.repository:
        return
    host = urlsplit(config.repository).hostname
    if not config.repository.startswith("https://") or not host:
        raise ConfigError(f"the repository's address begins with https://, unlike {config.repository!r}")
    options = {"footer_icons": [{"name": "The source", "url": config.repository, "html": "The source", "class": ""}]}
    if config.edit:
        options["source_edit_link"] = config.edit
    elif host in HOSTS:
        page = config.repository.removesuffix(".git")
        options |= {"source_repository": page, "source_branch": config.branch, "source_directory": "docs/"}
    config.html_theme_options = config.html_theme_options | options | {"top_of_page_buttons": ["edit"]}


def setup(app: Sphinx) -> None:
    for name, otherwise in (("repository", published()), ("branch", "main"), ("edit", "")):
        given = os.environ.get(f"CONCMODELS_{name.upper()}")
        app.add_config_value(name, given or otherwise, "env", types=frozenset({str}))
    app.connect("config-inited", link)
    app.add_directive("clone", Clone)
