"""No greenlet is left that could go on: gevent says so at once, where eventlet just waits."""

import warnings

import gevent.event
import gevent.exceptions

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import eventlet
    import eventlet.event

if __name__ == "__main__":
    try:
        gevent.event.Event().wait()
    except gevent.exceptions.LoopExit:
        print("gevent: LoopExit")
    with eventlet.Timeout(0.2, exception=False):
        eventlet.event.Event().wait()
    print("eventlet: still waiting when the timeout struck")
