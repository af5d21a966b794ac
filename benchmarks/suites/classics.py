"""The classics: `benchmarks.classics`, each in every model, with the sizes that its file names."""

from benchmarks import classics
from benchmarks.cell import Candidate
from benchmarks.suites.sizes import MODELS, kind


def candidates(quick: bool) -> list[Candidate]:
    """Return all classics on all models; if `quick`, each classic on one model, with a tiny size."""
    if quick:
        pairs = [(classic, MODELS[number % len(MODELS)]) for number, classic in enumerate(classics.CLASSICS)]
    else:
        pairs = [(classic, model) for classic in classics.CLASSICS for model in MODELS]
    return [ours(classic, model, quick) for classic, model in pairs]


def ours(classic: str, model: str, quick: bool) -> Candidate:
    """Return one classic on one model."""
    module = classics.load(classic)
    size = module.SIZES["tiny" if quick else classics.kind(model)]
    return Candidate(
        f"classics/{classic}/{model}",
        "benchmarks.calls:classic",
        kind="model",
        model=model,
        step=module.STEP.removeprefix("an ").removeprefix("a "),
        steps=module.steps(size),
        sizes={"classic": classic, "model": model, "size": size},
        parameters={"size": size, "tasks": module.tasks(size), "counts": module.SIZE},
        loops=1 if kind(model) == "boundary" else 0,  # calibrated, but where each repetition starts processes
    )
