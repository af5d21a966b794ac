"""Of locks made before patching, eventlet exchanges the RLocks it can reach, and counts the others. A Lock stays."""

import logging
import threading
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import eventlet


class Says(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        print("eventlet says: so many", record.getMessage().partition(" ")[2])


if __name__ == "__main__":
    logging.lastResort = Says()
    lock, plain = threading.RLock(), threading.Lock()
    print("the RLock before patching is one of:", type(lock).__module__)
    eventlet.monkey_patch()
    print("the RLock after patching is one of:", type(lock).__module__)
    print("the Lock after patching is one of:", type(plain).__module__)
