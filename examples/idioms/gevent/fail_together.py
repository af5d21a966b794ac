"""`joinall` raises the first error; `killall` ends the others. gevent also prints the error's traceback."""

import gevent


def patient():
    try:
        gevent.sleep(60)
    finally:
        print("tidied up")


def clumsy():
    raise OSError("disk full")


def main():
    greenlets = [gevent.spawn(patient), gevent.spawn(clumsy)]
    try:
        gevent.joinall(greenlets, raise_error=True)
    except OSError as error:
        gevent.killall(greenlets)
        print("failed:", error)


if __name__ == "__main__":
    main()
