"""A call returns one result, and can send nothing else; `as_completed` gives what each returns, the quickest first."""

from concurrent.futures import (
    ThreadPoolExecutor,
    as_completed,
)


def sensor(place):
    return [f"{place} {number}" for number in (1, 2)]


def main():
    received = []
    with ThreadPoolExecutor() as pool:
        futures = [
            pool.submit(sensor, place)
            for place in ("north", "east", "west")
        ]
        for future in as_completed(futures):
            received += future.result()
    print(sorted(received))


if __name__ == "__main__":
    main()
