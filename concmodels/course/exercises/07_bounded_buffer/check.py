from threading import Thread

from bounded_buffer import Buffer


def run(*functions):
    threads = [Thread(target=function, args=arguments) for function, *arguments in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def two_by_two():
    buffer, got = Buffer(1), []

    def get():
        got.append(buffer.get())

    run((buffer.put, 1), (buffer.put, 2), (get,), (get,))
    assert sorted(got) == [1, 2], f"1 and 2 are put, and {got} is got"


def in_order():
    buffer, got = Buffer(2), []

    def put():
        for number in range(3):
            buffer.put(number)

    def get():
        got.extend([buffer.get(), buffer.get(), buffer.get()])

    run((put,), (get,))
    assert got == [0, 1, 2], f"what is put first is not got first: {got}"


def never_too_many():
    buffer, done, too_many = Buffer(1), [], []

    def put():
        for number in range(2):
            buffer.put(number)
            done.append(number)

    def get():
        too_many.append(len(done) > 1)
        buffer.get()
        buffer.get()

    run((put,), (get,))
    assert not any(too_many), "put does not wait, though the buffer is full"
