"""The function has another name."""


def withdrawals(model):
    return 20
