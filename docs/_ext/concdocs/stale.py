"""Pages that are no longer written leave the built site: a link to one would look right until somebody else builds."""

from pathlib import Path

from sphinx.application import Sphinx

EXTRA = {"py-modindex", "search"}


def remove(app: Sphinx, error: Exception | None) -> None:
    """Delete the pages whose source is gone."""
    if error is not None or app.builder.name != "html":
        return
    folder = Path(app.outdir)
    for page in folder.rglob("*.html"):
        name = page.relative_to(folder).with_suffix("").as_posix()
        if name not in app.env.found_docs and name not in EXTRA and not name.startswith("_"):
            page.unlink()


def setup(app: Sphinx) -> None:
    app.connect("build-finished", remove)
