import threading

from check_then_act import Account


def run(*functions):
    results = [None] * len(functions)

    def keep(number, function, arguments):
        results[number] = function(*arguments)

    threads = [threading.Thread(target=keep, args=(at, it[0], it[1:])) for at, it in enumerate(functions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def two_threads_withdraw():
    account = Account(100)
    paid = run((account.withdraw, 80), (account.withdraw, 80))
    assert {*paid} <= {True, False}, f"withdraw returns {paid[0]!r}: it has to return True or False"
    assert account.balance >= 0, "the account is overdrawn"
    assert account.balance == 100 - 80 * sum(paid), (
        f"{sum(paid)} were told that they have the money, {account.balance} is left"
    )
    assert sum(paid) == 1, "nobody gets the money, though there is enough for one"


def a_deposit_meanwhile():
    account = Account(100)
    paid, _ = run((account.withdraw, 80), (account.deposit, 10))
    assert paid, "a withdrawal is refused, though there is enough"
    assert account.balance == 30, f"a deposit and a withdrawal leave {account.balance} instead of 30"
