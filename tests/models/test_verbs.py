"""Each model writes `send`, `receive`, iteration and its wait itself, and they are the same text up to the primitive.

So a reader of one of them has read all of them, and two models can be compared by what really differs.
"""

import ast
import copy
import functools

import pytest

import concmodels
from concmodels import catalog, contract, load
from concmodels.conformance.suite import VOCABULARY
from concmodels.errors import ModelUnavailable

MODELS = f"{concmodels.__path__[0]}/models"

THREADS, SYNC, ASYNC, BOUNDARIES = (
    tuple(catalog.facts(name).file for name in catalog.names(family=family) if name != "tasklets")
    for family in ("threads", "greenlets", "coroutines", "boundary")
)
"""Without tasklets, whose channel is greenlet's, and whose rendezvous has verbs of its own."""
SIMULATED = ("simulated/sim", "simulated/sim_async")

HUBS = ("gevent_", "eventlet_")

VERBS = ("Channel.send", "Channel.receive", "Channel._wait_for_partner")
SOCKETS = ("wait_readable", "wait_writable")
SAME = {
    THREADS: (*VERBS, *SOCKETS, "Channel.__init__", "Channel.__iter__", "Channel._checkpoint", "_Waiter.park"),
    HUBS: SOCKETS,
    BOUNDARIES: SOCKETS,
    SYNC: (*VERBS, "Channel.__iter__"),
    ASYNC: (*VERBS, "Channel.__aiter__", "Channel.__anext__"),
    SIMULATED: ("_Unbounded.send",),
    (*SYNC, *ASYNC, *SIMULATED): VERBS,
}
"""Which texts are the same in which models. In the last two lines, but for `async` and `await`."""


@functools.cache
def _source(model):
    with open(f"{MODELS}/{model}.py") as file:
        return file.read()


def _texts():
    """The models and names of SAME. A model need not have an `_Unbounded`, which is only a quicker channel."""
    for models, names in SAME.items():
        for name in names:
            owner = name.rpartition(".")[0]
            yield tuple(it for it in models if owner != "_Unbounded" or "class _Unbounded" in _source(it)), name


TEXTS = list(_texts())
STEPS = {
    "send": ["_yields", "_checkpoint", "_offer", "_wait_for_partner"],
    "receive": ["_yields", "_checkpoint", "_take", "_wait_for_partner"],
    "_wait_for_partner": ["park", "_withdraw", "outcome", "_settle"],
}
"""What each verb does in each model, in this order: threads do the same with a lock around it."""


@pytest.mark.parametrize("models, name", TEXTS)
def test_a_verb_is_one_text(models, name):
    assert len({_plain(_source(model), name) for model in models}) == 1


@pytest.mark.parametrize("verb", STEPS)
@pytest.mark.parametrize("file", [*THREADS, *SYNC, *ASYNC, *SIMULATED])
def test_a_verb_goes_the_same_way(file, verb):
    tree = _find(_source(file), f"Channel.{verb}")
    used = [node.attr for node in sorted(_attributes(tree), key=lambda it: (it.lineno, it.col_offset))]
    seen = [name for name in dict.fromkeys(used) if name in STEPS[verb]]
    assert seen == STEPS[verb]


@pytest.mark.parametrize("models, name", TEXTS)
def test_a_text_that_drifts_is_found(models, name):
    """Every model, and every statement in it: without it the texts are not the same any more."""
    for model in models:
        texts = {_plain(_source(other), name) for other in models if other != model}
        for number in range(_statements(_find(_source(model), name))):
            assert _plain(_source(model), name, without=number) not in texts


@pytest.mark.parametrize("file", [*THREADS, *HUBS, *BOUNDARIES, "greenlet_", *ASYNC, *SIMULATED, "dask_"])
def test_the_two_directions_are_one_text(file):
    readable, writable = (ast.unparse(_find(_source(file), verb).body[1:]) for verb in SOCKETS)
    assert readable.replace("readable", "writable").replace("READABLE", "WRITABLE") == writable


@pytest.mark.parametrize("name", [*catalog.names(variants=True), "sim", "sim:async", "dask"])
def test_a_model_has_the_whole_vocabulary(name):
    try:
        model = load(name)
    except ModelUnavailable as error:
        pytest.skip(str(error))
    assert [it for it in VOCABULARY if not hasattr(model, it)] == []


def test_the_vocabulary_is_that_of_the_contract():
    assert {it for it in vars(contract.Model) if not it.startswith("_")} == set(VOCABULARY)


VARIANTS = [name for name in catalog.names(variants=True) if catalog.facts(name).file in (*THREADS, *SYNC, *ASYNC)]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("capacity, most", [(0, 2), (1, 2), (float("inf"), 4)])
def test_few_classes_stand_above_a_channel(variant, capacity, most):
    try:
        model = load(variant)
    except ModelUnavailable as error:
        pytest.skip(str(error))
    above = type(model.Channel(capacity)).mro()[1:-1]
    special = [it for it in above if it is model.Channel]  # a fast variant stands on the model's own channel
    assert len(above) - len(special) <= most
    if not variant.startswith("anyio"):  # it has two kinds of waiter, and a function that chooses
        assert len(model.Channel._new_waiter.mro()[:-1]) <= 3


@functools.cache
def _find(source, name):
    """The function of this name, given as `Class.function` or `function`; nobody may change it."""
    owner, _, function = name.rpartition(".")
    body = ast.parse(source).body
    if owner:
        (kind,) = [it for it in body if isinstance(it, ast.ClassDef) and it.name == owner]
        body = kind.body
    (found,) = [it for it in body if getattr(it, "name", None) == function]
    return found


class _Plain(ast.NodeTransformer):
    """Makes a function sync, takes out its docstring, and one of its statements if asked to."""

    def __init__(self, without):
        self._without = without
        self._number = -1

    def visit(self, node):
        if _counts(node):
            self._number += 1
            if self._number == self._without:
                return ast.Pass()
        return super().visit(node)

    def visit_AsyncFunctionDef(self, node):
        return self.visit_FunctionDef(ast.FunctionDef(**vars(node)))

    def visit_FunctionDef(self, node):
        node.body = _body(node)
        return self.generic_visit(node)

    def visit_Await(self, node):
        return self.visit(node.value)


def _plain(source, name, without=None):
    return ast.dump(_Plain(without).visit(copy.deepcopy(_find(source, name))))


def _body(function):
    """Its statements but the docstring."""
    return function.body[1:] if ast.get_docstring(function) else function.body


def _statements(function):
    return sum(_counts(node) for statement in _body(function) for node in ast.walk(statement))


def _counts(node):
    return isinstance(node, ast.stmt) and not isinstance(node, (ast.Pass, ast.FunctionDef, ast.AsyncFunctionDef))


def _attributes(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
