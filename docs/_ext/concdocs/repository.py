"""Where the project lies: links to it, "Edit this page", and the commands that fetch it.

By default there are no links, and the commands have the word ADDRESS with a sentence about it.

The address is that of the repository's own page, from the variable CONCMODELS_REPOSITORY or `-D repository=`;
CONCMODELS_BRANCH (`-D branch=`) is the branch that pages are edited on. The theme knows how pages are edited on HOSTS;
for another one CONCMODELS_EDIT (`-D edit=`) says it, with `{filename}` where the file in docs/ belongs.
"""

import os
from urllib.parse import urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

from concdocs.places import Directive, fenced

HOSTS = ("github.com", "gitlab.com", "bitbucket.org")


UNKNOWN = (
    "In place of `ADDRESS` goes the address of the project's repository. If you have the project as a ZIP file, unpack "
    "that instead, and go into its folder."
)


class Clone(Directive):
    """The commands by which a reader gets the project, into a folder of its name."""

    def build(self) -> list[nodes.Node]:
        address = self.config.repository
        commands = f"$ git clone {address or 'ADDRESS'} concmodels\n$ cd concmodels"
        return self.markdown(fenced(commands, "console") + ("" if address else f"\n\n{UNKNOWN}"))


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
    for name, otherwise in (("repository", ""), ("branch", "main"), ("edit", "")):
        given = os.environ.get(f"CONCMODELS_{name.upper()}")
        app.add_config_value(name, given or otherwise, "env", types=frozenset({str}))
    app.connect("config-inited", link)
    app.add_directive("clone", Clone)
