"""What readers type into the search is answered: each query of `docs/searches.txt` leads to its page first."""

from browser import ROOT

TABLE = ROOT / "docs" / "searches.txt"
# Sphinx's own search, without its page: the names of the first three pages that it would show for each query.
FIRST_THREE = """queries => queries.map(query => {
    const results = Search._performSearch(...Search._parseQuery(query));
    return results.reverse().slice(0, 3).map(it => it[0]);
})"""


def test_each_query_finds_its_page_first(visit):
    """A word of the glossary may be explained there before."""
    page = visit("search.html?q=deadlock")
    page.locator("#search-results li a").first.wait_for()
    wanted = {query: name for name, found in _queries().items() for query in found}
    found = dict(zip(wanted, page.evaluate(FIRST_THREE, list(wanted)), strict=True))
    assert len(wanted) > 150
    first = {query: [it for it in names if it != "glossary"][:1] for query, names in found.items()}
    assert {query: names for query, names in first.items() if names != [wanted[query]]} == {}


def _queries():
    rows = [it.split(": ", 1) for it in TABLE.read_text().splitlines() if ": " in it and not it.startswith("#")]
    return {page: [it.strip() for it in found.split(";")] for page, found in rows}
