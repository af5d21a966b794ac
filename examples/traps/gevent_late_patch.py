"""`monkey.patch_all()` changes modules, not names that were taken from them before: patch first, then import."""

import time
from time import sleep

from gevent import monkey

if __name__ == "__main__":
    monkey.patch_time()
    print("time.sleep is", "gevent's" if time.sleep is not sleep else "the operating system's")
    print("the sleep imported before is", "gevent's" if sleep is time.sleep else "the operating system's")
