"""`iwait` gives the greenlets as they end; `killall` ends the others where they wait."""

import gevent

MIRRORS = {"near": 0.01, "far": 60, "farther": 60}


def ask(mirror, delay):
    gevent.sleep(delay)
    return mirror


def main():
    greenlets = [
        gevent.spawn(ask, mirror, delay)
        for mirror, delay in MIRRORS.items()
    ]
    try:
        with gevent.iwait(greenlets, count=1) as ended:
            print(next(ended).get(), "answered")
    finally:
        gevent.killall(greenlets)


if __name__ == "__main__":
    main()
