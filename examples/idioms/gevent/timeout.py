"""`gevent.Timeout` is raised where the greenlet waits. It is a BaseException: name it."""

import gevent


def ask():
    gevent.sleep(60)
    return "hello"


def main():
    try:
        with gevent.Timeout(0.05):
            print(ask())
    except gevent.Timeout:
        print("no answer in time")


if __name__ == "__main__":
    main()
