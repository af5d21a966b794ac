"""Orders are read, priced and packed, by a task each. Which of them keeps the others waiting?"""

import sys

from concmodels import Channel, SyncModel, load, trace


def main(model: SyncModel, pricers: int) -> None:
    orders, priced = model.Channel(2, "orders"), model.Channel(2, "priced")
    with model.TaskGroup() as group:
        group.spawn(read, model, orders, name="read")
        group.spawn(pack, model, priced, name="pack")
        with model.TaskGroup() as pricing:
            for number in range(1, pricers + 1):
                pricing.spawn(price, model, orders, priced, name=f"price {number}")
        priced.close()


def read(model: SyncModel, orders: Channel[int]) -> None:
    for number in range(12):
        model.sleep(0.001)
        orders.send(number)
    orders.close()


def price(model: SyncModel, orders: Channel[int], priced: Channel[tuple[int, float]]) -> None:
    for number in orders:
        model.sleep(0.008)  # somebody else's server is asked
        priced.send((number, 9.95))


def pack(model: SyncModel, priced: Channel[tuple[int, float]]) -> None:
    for _ in priced:
        model.sleep(0.002)


if __name__ == "__main__":
    with trace.to(sys.argv[2]):
        model = load("threads")
        model.run(main, model, int(sys.argv[1]))
