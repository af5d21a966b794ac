"""The settings of the docs site. `make docs` builds it with every warning an error, and without the network."""

import gc
import logging
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "_ext")]

import concmodels  # noqa: E402 - only now it is found

# Hundreds of thousands of nodes stay until the build ends: to look for garbage among them takes a tenth of its time.
gc.set_threshold(50_000, 20)

# The theme's style sheets (accessible-pygments) show what any library logs; on a machine that draws its first chart,
# matplotlib says that it has made its list of fonts, which is no warning.
logging.getLogger("matplotlib").setLevel(logging.WARNING)

project = "concmodels"
author = "concmodels contributors"
project_copyright = f"%Y, {author}"
version = release = concmodels.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_design",
    "concdocs",  # docs/_ext: its README is the writers' manual
]
exclude_patterns = ["_ext"]
if "CONCMODELS_STUDENTS" in os.environ:  # the site that students may see, in which links to these pages are plain text
    exclude_patterns += [f"teachers/{name}.md" for name in ("grading", "marking", "solutions")]
    suppress_warnings = ["myst.xref_missing"]
source_suffix = {".md": "markdown"}
nitpicky = True
nitpick_ignore_regex = [
    # Everybody else's names: finding them would take the network.
    (r"py:.*", r"(?!(concmodels|benchmarks)\b).*"),
    # Ours that no page is about: a signature may name them.
    (r"py:.*", r"(concmodels|benchmarks)\.(.*\.)?_.*"),
    (r"py:.*", r"concmodels\.(platform\.measuring|stackless\.scheduler)\..*"),
]
myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autoclass_content = "class"
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries_show_parents = "hide"

copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"

pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

html_theme = "furo"
templates_path = ["_templates"]
html_title = "concmodels"
html_baseurl = os.environ.get("CONCMODELS_SITE", "")  # where the site will be: cards of shared links need to know
html_static_path = ["_static"]
html_favicon = "_static/favicon.svg"
html_css_files = ["site.css", "schedule.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_show_sourcelink = False
html_use_index = False  # no page links to it, and the search finds every name
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None
_LIGHT = {"brand-primary": "#00607a", "brand-content": "#00607a", "brand-visited": "#5b3f8c"}
_DARK = {"brand-primary": "#5cc8e6", "brand-content": "#5cc8e6", "brand-visited": "#c4a8f0"}
html_theme_options = {
    "light_css_variables": {f"color-{name}": colour for name, colour in _LIGHT.items()},
    "dark_css_variables": {f"color-{name}": colour for name, colour in _DARK.items()},
}
