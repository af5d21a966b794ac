"""`joinall` has one timeout for all, and `killall` ends those that are late; a killed greenlet holds a GreenletExit."""

import gevent


def copy():
    gevent.sleep(60)


def main():
    greenlets = {
        mirror: gevent.spawn(copy)
        for mirror in ("east", "west")
    }
    gevent.joinall(greenlets.values(), timeout=0.05)
    gevent.killall(greenlets.values())
    for mirror, one in greenlets.items():
        print(
            f"{mirror}: {'called off' if isinstance(one.value, gevent.GreenletExit) else 'copied'}"
        )


if __name__ == "__main__":
    main()
