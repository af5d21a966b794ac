"""Holds one model, spoiled or not, to the guarantees whose names come in; runs in a process of its own.

    python -m mutants.held MODEL ROUNDS

Each line that comes in names a guarantee, each line that goes out says what came of it: nothing if it was kept, else
why not. CONCMODELS_MUTANT in the environment names the mutant.
"""

import os
import sys

_CHOSEN = "mutants.chosen"

READY = "ready"

PATIENCE = 4
"""Seconds for what must come, instead of the guarantees' own 15: what a mutant holds up never comes."""


def main():
    name, rounds = sys.argv[1], int(sys.argv[2])
    lines, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(2, 1)  # what a program prints is no answer

    model = _model(name)
    if rounds:
        model.effort.rounds = min(rounds, model.effort.rounds)
    by_name = _guarantees()
    _spoil_children()
    _warm_up(model)
    try:
        from mutants import chosen  # noqa: F401 - it spoils the model here
    except Exception as error:  # noqa: BLE001 - what is no mutant must not be taken for a dead one
        print(f"can't be spoiled: {error!r}", file=answers, flush=True)
        return
    print(READY, file=answers, flush=True)
    for line in lines:
        print(_reason(model, by_name[line.rstrip("\n")]), file=answers, flush=True)


def _model(name):
    from concmodels.conformance import census
    from concmodels.conformance.guarantees import tools
    from concmodels.conformance.suite import Model
    from concmodels.conformance.sync import tools as sync_tools

    tools.PATIENCE = sync_tools.PATIENCE = PATIENCE
    census.know_own_semaphores()
    return Model.named(name)


def _spoil_children():
    """Have the forkserver, and every interpreter, import `chosen` before they do anything else."""
    from mutants.steps import INTERPRETERS, LIFE, LIFE_PATH, PRELOAD, PROCESSES, found

    getattr(found(PROCESSES), PRELOAD).append(_CHOSEN)
    interpreters = found(INTERPRETERS)
    life = getattr(interpreters, LIFE)
    assert LIFE_PATH in life
    setattr(interpreters, LIFE, life.replace(LIFE_PATH, f"{LIFE_PATH}import {_CHOSEN}\n"))


def _warm_up(model):
    """Run once; a spoiled child may spoil that too, and is found out later."""
    try:
        model.warm_up()
    except BaseException:  # noqa: BLE001 - see above
        pass


def _guarantees():
    from concmodels.conformance.suite import guarantees

    return {str(it): it for it in guarantees()}


def _reason(model, guarantee):
    """Why the model does not keep it, in a line; empty if it does, or if it is none of its guarantees here."""
    from concmodels.conformance.suite import NotGuaranteed

    try:
        guarantee.hold(model)
    except NotGuaranteed:
        return ""
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the verdict
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        return " ".join(f"{type(error).__name__}: {error}".split())[:100]
    return ""


if __name__ == "__main__":
    main()
