"""It computes for ever, before any task has begun."""


def main(model):
    balance = 100
    while balance != 20:
        balance -= 0.1
    return balance
