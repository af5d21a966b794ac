"""The ring by hand, on Dask: a task of the cluster per node, one of the scheduler's queues per link.

    python examples/dask_ring.py

Every message goes to the scheduler and comes from there, twice per hop: once to be put, once to be taken.
"""

from time import perf_counter

from distributed import Client, Queue, secede

NODES, MESSAGES = 5, 40


def node(inbox: Queue, outbox: Queue) -> None:
    """Forward every message, up to the mark."""
    secede()  # leave the worker's pool of threads: one that waits there would keep a place from the next node
    while (message := inbox.get()) is not None:
        outbox.put(message)


def main() -> None:
    with Client(processes=False, n_workers=1, dashboard_address="127.0.0.1:0") as client:
        links = [Queue(f"link {number}") for number in range(NODES + 1)]
        pairs = zip(links, links[1:], strict=False)
        nodes = [client.submit(node, *pair, pure=False) for pair in pairs]
        started = perf_counter()
        came: list[int] = []
        for number in range(MESSAGES):
            links[0].put(number)
            came.append(links[-1].get())
        took = perf_counter() - started
        for link in links[:-1]:
            link.put(None)
        client.gather(nodes)
    print("all came back, in order:", came == list(range(MESSAGES)))
    print("less than a tenth of a millisecond per hop:", took / (NODES * MESSAGES) < 0.0001)


if __name__ == "__main__":
    main()
