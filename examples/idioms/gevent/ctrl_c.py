"""A signal handler, which gevent runs in a greenlet of its own, kills the worker."""

import signal

import gevent


def worker():
    try:
        print("working", flush=True)
        gevent.sleep(3600)
    finally:
        print("tidied up")


def main():
    greenlet = gevent.spawn(worker)
    gevent.signal_handler(signal.SIGINT, greenlet.kill)
    greenlet.join()
    print("interrupted")


if __name__ == "__main__":
    main()
