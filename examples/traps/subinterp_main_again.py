"""A function that needs its globals is called in a subinterpreter: this whole file runs again there."""

from concurrent import interpreters

print("this file runs as", repr(__name__), flush=True)
FACTOR = 2


def double(number: int) -> int:
    return FACTOR * number


if __name__ == "__main__":
    other = interpreters.create()
    print("double(21) is", other.call(double, 21), flush=True)
    other.close()
