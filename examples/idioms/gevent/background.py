"""An event says that the greenlet has started; it is killed when it is needed no more."""

import gevent
from gevent.event import Event


def heartbeat(started):
    print("heartbeat: started")
    started.set()
    try:
        while True:
            gevent.sleep(0.01)  # a heartbeat
    finally:
        print("heartbeat: stopped")


def main():
    started = Event()
    greenlet = gevent.spawn(heartbeat, started)
    started.wait()
    try:
        print("main: working")
    finally:
        greenlet.kill()
    print("main: done")


if __name__ == "__main__":
    main()
