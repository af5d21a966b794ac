"""The docstrings, which are plain text with Markdown's backticks and indented code, as what autodoc reads.

autodoc takes them for reStructuredText, in which `name` is not code and *A opens emphasis.
"""

import re

from sphinx.application import Sphinx

from concdocs.signatures import is_dummy, is_ours

CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
ROLE = re.compile(r":[a-z:]+:$")


def translate(lines: list[str]) -> list[str]:
    """The same lines in reStructuredText."""
    text = "\n".join(line for line in _with_code_blocks(lines))
    done, position = [], 0
    for code in CODE.finditer(text):
        before = text[position : code.start()]
        done.append(_plain(before))
        done.append(code[0] if ROLE.search(before) else f"``{code[2].strip('`').strip()}``")
        position = code.end()
    return "".join([*done, _plain(text[position:])]).split("\n")


def _with_code_blocks(lines: list[str]) -> list[str]:
    """Lines that are indented after an empty one, and no list's, become a block of code."""
    out: list[str] = []
    inside = False
    for line in lines:
        indented = line.startswith("    ")
        if indented and not inside and (not out or not out[-1].strip()):
            if not _in_a_list(out) and not line.lstrip().startswith(">>>"):
                out += ["::", ""]
            inside = True
        elif line.strip() and not indented:
            inside = False
        out.append(line)
    return out


def _in_a_list(before: list[str]) -> bool:
    last = next((line for line in reversed(before) if line.strip()), "")
    return last.lstrip().startswith(("* ", "- "))


def _plain(text: str) -> str:
    """Marks of reStructuredText that mean nothing here; a list's star at a line's beginning stays."""
    text = re.sub(r"(?m)(?<!^)(?<!\\)\*(?! )", r"\\*", text)
    return re.sub(r"(?<=\w)_(?=\W|$)", r"\\_", text)


def process(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """For autodoc. The docstrings of libraries, which some models pass on, are reStructuredText already."""
    if is_dummy(obj):
        lines[:] = []  # typing's, about itself
    elif is_ours(getattr(obj, "__module__", None) or name):
        lines[:] = translate(lines)


def setup(app: Sphinx) -> None:
    app.connect("autodoc-process-docstring", process)
