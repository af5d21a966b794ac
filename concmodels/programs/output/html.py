"""One row of figures as an HTML table, for notebooks."""

from html import escape


def table(title: str, details: str, cells: dict[str, str], under: str) -> str:
    """Return a table of one row; `cells` has its texts by the headers of their columns. All texts are escaped."""
    caption = f"<strong>{escape(title)}</strong><br>{escape(details)}"
    headers = "".join(f"<th>{escape(header)}</th>" for header in cells)
    row = "".join(f"<td>{escape(text)}</td>" for text in cells.values())
    return (
        f'<table><caption style="text-align: left">{caption}</caption><thead><tr>{headers}</tr></thead>'
        f"<tbody><tr>{row}</tr></tbody></table><p>{escape(under)}</p>"
    )
