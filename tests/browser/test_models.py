"""The pages of the models: the contents are beside the page, and each diagram is drawn for the width."""

import pytest
from browser import WIDTHS
from playwright.sync_api import expect


def test_the_contents_are_beside_the_page(visit):
    page = visit("models/threads.html")
    contents = page.locator(".toc-tree")
    expect(contents.get_by_role("link", name="How it works")).to_be_in_viewport()
    page.get_by_role("heading", name="Traps", exact=False).first.scroll_into_view_if_needed()
    expect(contents.get_by_role("link", name="How it works")).to_be_in_viewport()
    text, beside = page.locator("article").bounding_box(), contents.bounding_box()
    assert text["x"] + text["width"] <= beside["x"]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_diagram_is_drawn_for_the_width(visit, width):
    figure = visit("models/threads.html", width).locator("figure.sequence").first
    other = "narrow" if width == "wide" else "wide"
    expect(figure.locator(f"svg.sequence-{width}")).to_be_visible()
    expect(figure.locator(f"svg.sequence-{other}")).to_be_hidden()
    assert figure.locator(f"svg.sequence-{width}").bounding_box()["width"] <= WIDTHS[width]


def test_eighty_columns_of_code_fit(visit):
    page = visit("models/threads.html")
    fits = page.evaluate(
        """() => {
            const block = document.querySelector(".code-of pre");
            block.textContent = "x".repeat(80);
            const range = document.createRange();
            range.selectNodeContents(block);
            return range.getClientRects().length === 1 && block.scrollWidth <= block.clientWidth;
        }"""
    )
    assert fits
