"""What gevent can't patch, such as a C library, blocks all greenlets: its thread pool takes the call."""

import time

import gevent


def read_slowly():
    time.sleep(0.05)  # not patched here: it blocks its thread
    return 42


def main():
    answer = gevent.get_hub().threadpool.spawn(read_slowly)
    print("meanwhile the loop goes on")
    print("the answer is", answer.get())


if __name__ == "__main__":
    main()
