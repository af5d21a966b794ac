"""Something that is made once, when it is needed."""


class Once:
    def __init__(self, make):
        self.make = make
        self.made = None

    def get(self):
        if self.made is None:
            self.made = self.make()
        return self.made
