"""Takes pictures of pages, to look at them: each wide and narrow, light and dark.

    python tools/screenshots.py build/docs OUT                                   every page
    python tools/screenshots.py build/docs OUT index.html models/threads.html    these

A picture's name tells its page: models/threads.html gives OUT/models-threads.narrow-dark.png and three more.
"""

import argparse
import sys
from itertools import product
from pathlib import Path

from browser import SCHEMES, WIDTHS, chromium, enter_environment, pages, served


def main() -> int:
    """Take them; return the exit status."""
    options = _options()
    chosen = options.pages or pages(options.folder)
    missing = [page for page in chosen or ["index.html"] if not (options.folder / page).is_file()]
    if missing:
        print(f"screenshots: {options.folder} has no {missing[0]}; `make docs` builds the docs", file=sys.stderr)
        return 2
    enter_environment()
    options.out.mkdir(parents=True, exist_ok=True)
    with served(options.folder) as address, chromium() as browser:
        for width, scheme in product(options.width or WIDTHS, options.scheme or SCHEMES):
            _take(browser, address, chosen, options, width, scheme)
    print(f"{len(list(options.out.glob('*.png')))} pictures are in {options.out}")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the pages are")
    parser.add_argument("out", type=Path, help="the folder for the pictures")
    parser.add_argument("pages", nargs="*", metavar="page", help="by its path in the folder; default: all")
    parser.add_argument("--width", choices=WIDTHS, action="append", help="only 1280 (wide) or 390 pixels (narrow)")
    parser.add_argument("--scheme", choices=SCHEMES, action="append", help="only light or dark")
    parser.add_argument("--height", type=int, help="this many pixels from the top; default: the whole page")
    return parser.parse_args()


def _take(browser, address, chosen, options, width, scheme):
    size = {"width": WIDTHS[width], "height": options.height or 800}
    page = browser.new_page(viewport=size, color_scheme=scheme)
    for name in chosen:
        page.goto(address + name)
        page.evaluate("for (const image of document.images) image.loading = 'eager'")  # charts far down come late
        page.wait_for_function("[...document.images].every(image => image.complete)")
        picture = name.removesuffix(".html").replace("/", "-") + f".{width}-{scheme}.png"
        page.screenshot(path=options.out / picture, full_page=options.height is None, animations="disabled")
    page.close()


if __name__ == "__main__":
    sys.exit(main())
