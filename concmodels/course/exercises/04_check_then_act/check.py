from threading import Thread

from check_then_act import Account


def run(*functions):
    results = [None] * len(functions)

    def keep(number, function, arguments):
        results[number] = function(*arguments)

    threads = [Thread(target=keep, args=(at, it[0], it[1:])) for at, it in enumerate(functions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def two_threads_withdraw():
    account = Account(100)
    assert type(account.balance) is int and account.balance == 100, "a new account has what it is opened with"
    paid = run((account.withdraw, 80), (account.withdraw, 80))
    assert type(account.balance) is int, "the balance is not a plain int any more"
    assert {*paid} <= {True, False}, f"withdraw returns {paid[0]!r}: it has to return True or False"
    assert account.balance >= 0, "the account is overdrawn"
    assert account.balance == 100 - 80 * sum(paid), (
        f"{sum(paid)} were told that they have the money, {account.balance} is left"
    )
    assert sum(paid) == 1, "nobody gets the money, though there is enough for one"
    assert not account.withdraw(21) and account.balance == 20, "21 of 20 are paid"
    assert account.withdraw(20) and account.balance == 0, "20 of 20 are refused"


def a_deposit_meanwhile():
    account = Account(100)
    paid, _ = run((account.withdraw, 80), (account.deposit, 10))
    assert paid, "a withdrawal is refused, though there is enough"
    assert account.balance == 30, f"a deposit and a withdrawal leave {account.balance} instead of 30"
    account.deposit(7)
    assert account.balance == 37, f"7 more make {account.balance} instead of 37"
