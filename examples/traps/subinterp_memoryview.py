"""A memoryview is the one thing that two interpreters really share. While they do, its source keeps its size."""

from concurrent import interpreters


def main() -> None:
    numbers = bytearray(4)
    other = interpreters.create()
    other.prepare_main(view=memoryview(numbers))
    other.exec("view[0] = 7")
    print("written there, seen here:", list(numbers))
    try:
        numbers.append(1)
    except BufferError as error:
        print("BufferError:", error)
    other.exec("del view")
    numbers.append(1)
    print("after the other one let go:", list(numbers))
    other.close()


if __name__ == "__main__":
    main()
