from word_count import count

LINES = ["a b a", "b c", "a", "c c a b"]


class Counted:
    """A pool that counts the calls, and the lines that are sent."""

    def __init__(self, pool):
        self.pool, self.calls = pool, 0

    def submit(self, function, *args):
        self.calls += 1
        return self.pool.submit(function, *args)

    def map(self, function, *lists, **options):
        lists = [list(it) for it in lists]
        self.calls += min(map(len, lists))
        return self.pool.map(function, *lists, **options)


def counted(model):
    with model.Pool(2) as pool:
        counting = Counted(pool)
        found = count(counting, LINES, 2)
    assert counting.calls > 0, "the workers have nothing to do"
    assert counting.calls <= 2, f"{counting.calls} calls are made, and 2 are allowed"
    assert found is not None, "count returns nothing"
    assert dict(found) == {"a": 4, "b": 3, "c": 3}, f"the counts are not right: {dict(found)}"


def nothing(model):
    with model.Pool(2) as pool:
        found = count(pool, [], 2)
    assert dict(found) == {}, f"of no lines the counts are {dict(found)}"
