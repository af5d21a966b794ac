"""Diagnosis: it is made 2 times"""


class Once:
    def __init__(self, make):
        self.make = make
        self.made = None

    def get(self):
        if self.made is None:
            self.made = self.make()
        return self.made
