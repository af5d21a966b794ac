"""What the model of Dask can't do, it says."""

import textwrap

from concmodels import load


def attempt(what, do):
    try:
        do()
    except NotImplementedError as error:
        print(textwrap.fill(f"{what}: {error}", 88, subsequent_indent="    "))
    else:
        print(f"{what}: works")


def main(model):
    held, handed_over = model.Channel(1), model.Channel(0)
    attempt("select that sends to a channel", lambda: model.select((held, 1)))
    attempt("select that sends to a rendezvous", lambda: model.select((handed_over, 1), timeout=0.1))


if __name__ == "__main__":
    dask = load("dask")
    dask.run(main, dask)
    attempt("to look for deadlocks", lambda: dask.run(main, dask, deadlock_after=1))
