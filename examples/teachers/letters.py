"""How often each letter occurs in one big text that all workers see, and none copies."""

from collections import Counter

from concmodels import Shared, SyncModel, load

TEXT = b"the quick brown fox jumps over the lazy dog " * 20_000


def main(model: SyncModel) -> None:
    step = 100_000
    with model.share(TEXT) as text, model.Pool(2) as pool:
        starts = range(0, text.nbytes, step)
        parts = pool.map(count, [text] * len(starts), starts, [step] * len(starts))
        letters = sum(parts, Counter[str]())
    print({letter: letters[letter] for letter in "eoz"})


def count(text: Shared, start: int, step: int) -> Counter[str]:
    return Counter(bytes(text.view()[start : start + step]).decode())


if __name__ == "__main__":
    model = load("processes")
    model.run(main, model)
