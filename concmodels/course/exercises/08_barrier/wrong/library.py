"""Diagnosis: Barrier is what is to be built here"""

import threading


class Barrier:
    def __init__(self, n):
        self.wait = threading.Barrier(n).wait
