"""A channel between threads."""


class Channel:
    def __init__(self, capacity=0, name=None):
        raise NotImplementedError
