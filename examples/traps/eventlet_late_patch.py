"""For locks made before patching, eventlet searches the whole program, exchanges those it can, and counts the rest."""

import logging
import threading
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import eventlet


class Says(logging.Handler):
    def emit(self, record):
        print("eventlet says: so many", record.getMessage().partition(" ")[2])


if __name__ == "__main__":
    logging.lastResort = Says()
    lock = threading.RLock()
    print("the lock before patching is one of:", type(lock).__module__)
    eventlet.monkey_patch()
    print("the lock after patching is one of:", type(lock).__module__)
