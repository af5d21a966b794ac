from crawler import crawl

WEB = {"a": ["b", "c"], "b": ["c", "a"], "c": ["b"]}
WIDE = {"a": ["b", "c", "d"], "b": [], "c": [], "d": []}


class Web:
    def __init__(self, model, links, seconds):
        self.model, self.links, self.seconds = model, links, seconds
        self.fetched, self.now, self.peak = [], [], []

    def fetch(self, page):
        self.fetched.append(page)
        self.now.append(page)
        self.peak.append(len(self.now))
        self.model.sleep(self.seconds)
        self.now.remove(page)
        return self.links[page]


def a_small_web(model):
    web = Web(model, WEB, 0)
    found = crawl(model, web.fetch, "a", 2)
    twice = {page for page in web.fetched if web.fetched.count(page) > 1}
    assert not twice, "a page is fetched twice"
    assert sorted(web.fetched) == ["a", "b", "c"], "it ends before every page is fetched"
    assert found is not None and set(found) == {"a", "b", "c"}, f"a, b and c are to be found, not {found}"


def two_at_a_time(model):
    web = Web(model, WIDE, 0.05)
    crawl(model, web.fetch, "a", 2)
    assert max(web.peak) <= 2, f"{max(web.peak)} fetches at a time, and 2 are allowed"
    assert max(web.peak) == 2, "one fetch at a time, though two are allowed"
    assert not web.now, "it ends while a fetch is under way"
