from threading import Event, Thread

from two_locks import Account, audit, transfer


def run(*functions):
    threads = [Thread(target=function, args=arguments) for function, *arguments in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def both_ways():
    one, other = Account(100), Account(100)
    run((transfer, one, other, 10), (transfer, other, one, 30))
    assert (one.balance, other.balance) == (120, 80), f"{one.balance} and {other.balance} are left of 100 and 100"


def audited_meanwhile():
    one, other = Account(130), Account(70)
    seen = []
    run((transfer, one, other, 10), (lambda: seen.append(audit([one, other])),))
    assert seen == [200], f"an audit sees {seen[0]} of 200"
    assert audit([Account(5), Account(7), Account(9)]) == 21, "an audit does not add up what the accounts have"


class Held(int):
    """An amount whose transfer is held up until another one is done."""

    def __new__(cls, number, done):
        made = super().__new__(cls, number)
        made.done = done
        return made

    def __rsub__(self, other):
        self.done.wait()
        return other - int(self)

    def __radd__(self, other):
        self.done.wait()
        return other + int(self)


def others_meanwhile():
    done = Event()
    accounts = [Account(balance) for balance in (100, 60, 30, 20)]

    def another():
        transfer(accounts[2], accounts[3], 5)
        done.set()

    run((transfer, accounts[0], accounts[1], Held(10, done)), (another,))
    assert audit(accounts) == 210, "money is lost"
