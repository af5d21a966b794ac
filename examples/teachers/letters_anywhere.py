"""The letters of one big text that all workers see, by the standard library alone: also on macOS and Windows."""

from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.shared_memory import SharedMemory

TEXT = b"the quick brown fox jumps over the lazy dog " * 20_000
STEP = 100_000


def main() -> None:
    memory = SharedMemory(create=True, size=len(TEXT))
    try:
        memory.buf[: len(TEXT)] = TEXT  # type: ignore[index]
        starts = range(0, len(TEXT), STEP)
        stops = [min(start + STEP, len(TEXT)) for start in starts]  # the memory may be larger than the text
        with ProcessPoolExecutor(2) as pool:
            letters = sum(pool.map(count, [memory.name] * len(starts), starts, stops), Counter[str]())
    finally:
        memory.close()
        memory.unlink()
    print({letter: letters[letter] for letter in "eoz"})


def count(name: str, start: int, stop: int) -> Counter[str]:
    memory = SharedMemory(name, track=False)  # main removes it
    try:
        return Counter(bytes(memory.buf[start:stop]).decode())  # type: ignore[index]
    finally:
        memory.close()


if __name__ == "__main__":
    main()
