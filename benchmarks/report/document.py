"""An HTML file without scripts and external files, as a frame for any body."""

from pathlib import Path

STYLE = Path(__file__).with_name("page.css")


def document(title: str, body: str) -> str:
    """Return an HTML file of its own with this body."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>\n{STYLE.read_text()}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
