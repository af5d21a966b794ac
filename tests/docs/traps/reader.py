"""Reads a file for known traps: each rule is a function over the tree, with a name and a reason."""

import ast

PREEMPTIVE = "preemptive"
"""A file whose objects several threads may use at a time; the others belong to one thread per run."""

RULES = {
    "increment": "`+=` on something shared is a read and a write, and another thread may come between",
    "check then act": "what was looked at without a lock may be otherwise when it is acted upon",
    "shared iterator": "without GIL, `next` on one iterator from several threads may give one item twice, or crash",
    "iteration": "without GIL, a set or dict that a thread changes meanwhile raises: go through `list(it)`, one step",
    "sliced view": "without GIL, slicing or releasing one memoryview object from several threads is broken",
    "module state": "what changes at the level of a module is shared by all threads and all runs",
    "byte order": "struct and cast write '>' and '!' byte by byte: another reader sees half a number",
    "queue wait": "concurrent.interpreters.Queue does not wait: it looks every 10 ms",
    "loose thread": "a daemon or raw thread may outlive what it uses; in a subinterpreter it may crash at exit",
    "wall clock": "time.time() jumps when the clock is set: a duration needs time.monotonic()",
    "polling": "to sleep and look again wastes the time of the nap, or of the processor",
    "handler": "a signal handler that takes a lock may interrupt the one who holds it; an import takes locks too",
}
_CONTAINERS = (ast.Dict, ast.List, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_MAKERS = {"dict", "list", "set", "deque", "count", "cycle", "repeat", "yield_every", "defaultdict"}
_ENDLESS = {"count", "cycle", "repeat", "yield_every", "iter"}
_CHANGES = {"append", "appendleft", "add", "pop", "popleft", "popitem", "remove", "discard", "setdefault", "update"}
_TABLES = ("set", "dict", "deque")
_STEP_BY_STEP = {"tuple", "any", "all", "sum", "min", "max", "map", "filter", "zip", "enumerate"}
"""What goes through its arguments step by step; `list`, `sorted` and `set` take a set or a dict in one."""
_VIEWS = {"words", "bytes", "view", "_control", "control", "_ring", "ring"}
_LOCKS = (
    "lock",
    "claim",
    "_senders",
    "_receivers",
    "senders",
    "receivers",
    "_knocking",
    "asking",
    "_opening",
    "_slicing",
)


class Finding:
    """A trap: the rule, where, and the line."""

    def __init__(self, rule, function, node):
        self.rule, self.function, self.line, self.text = rule, function, node.lineno, ast.unparse(node).split("\n")[0]

    def __str__(self):
        return f"{self.rule}, line {self.line}, in {self.function}: {self.text[:90]} ({RULES[self.rule]})"


class Reader(ast.NodeVisitor):
    """Walks a file and knows which function it is in, which loops are around, and which locks are held."""

    def __init__(self, kind, handlers=()):
        self.findings = []
        self._preemptive, self._handlers = kind == PREEMPTIVE, handlers
        self._names, self._held, self._loops, self._slicing = [], 0, 0, 0
        self._globals = set()
        self._tables = {}

    def read(self, text):
        """Return what is found in this text."""
        tree = ast.parse(text)
        self._globals = {name for node in tree.body for name in _targets(node)}
        self._handlers = {*self._handlers, *signal_handlers(tree)}
        self._tables = dict(tables(tree))
        self.visit(tree)
        return self.findings

    def _find(self, rule, node):
        self.findings.append(Finding(rule, ".".join(self._names) or "the module", node))

    def _is_handler(self):
        return bool(self._names) and self._names[-1] in self._handlers

    # Where we are.

    def visit_ClassDef(self, node):
        self._enter(node)

    def visit_FunctionDef(self, node):
        held, loops, self._held, self._loops = self._held, self._loops, 0, 0
        self._enter(node)
        self._held, self._loops = held, loops
        self._get_then_store(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def _enter(self, node):
        self._names.append(node.name)
        self.generic_visit(node)
        self._names.pop()

    def visit_With(self, node):
        taken = any(_is_lock(item.context_expr) for item in node.items)
        if taken and self._is_handler():
            self._find("handler", node)
        slicing = any(_last_name(item.context_expr) == "_slicing" for item in node.items)
        self._held, self._slicing = self._held + taken, self._slicing + slicing
        self.generic_visit(node)
        self._held, self._slicing = self._held - taken, self._slicing - slicing

    def visit_While(self, node):
        self._check_then_act(node)
        self._loops += 1
        self.generic_visit(node)
        self._loops -= 1

    def visit_For(self, node):
        self._go_through(node.iter, node)
        self._loops += 1
        self.generic_visit(node)
        self._loops -= 1

    def visit_If(self, node):
        self._check_then_act(node)
        if ast.unparse(node.test) != "TYPE_CHECKING":
            self.generic_visit(node)

    # What is found there.

    def visit_AugAssign(self, node):
        name = isinstance(node.target, ast.Name) and node.target.id not in self._globals
        if self._preemptive and not self._held and not name:
            self._find("increment", node)
        self.generic_visit(node)

    def visit_Assign(self, node):
        made = isinstance(node.value, _CONTAINERS) or _called(node.value) in _MAKERS
        if not self._names and made and not _is_constant(node):
            self._find("module state", node)
        elif self._names and self._names[-1][0].isupper() and _called(node.value) in _ENDLESS:
            self._find("shared iterator", node)  # an attribute of the class: all its objects share it
        self.generic_visit(node)

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.visit_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def visit_Global(self, node):
        self._find("module state", node)

    def visit_Subscript(self, node):
        alone = self._slicing or not self._preemptive
        if not alone and isinstance(node.slice, ast.Slice) and _last_name(node.value) in _VIEWS:
            self._find("sliced view", node)
        self.generic_visit(node)

    def visit_Constant(self, node):
        if (
            isinstance(node.value, str)
            and 1 < len(node.value) < 9
            and node.value[0] in ">!"
            and node.value[1:].isalnum()
        ):
            self._find("byte order", node)

    def visit_ImportFrom(self, node):
        if node.module == "time" and any(alias.name == "time" for alias in node.names):
            self._find("wall clock", node)
        self._import(node)

    def _import(self, node):
        if self._is_handler():
            self._find("handler", node)

    visit_Import = _import

    def visit_comprehension(self, node):
        self._go_through(node.iter, node.iter)
        self.generic_visit(node)

    def _go_through(self, table, node):
        """Whether a set, dict or deque that others change is gone through step by step, without a lock."""
        if _called(table) in ("values", "items", "keys"):
            table = table.func.value
        shared = self._preemptive and not self._held and self._names
        if shared and isinstance(table, ast.Attribute) and table.attr in self._tables:
            self._find("iteration", node)

    def visit_Call(self, node):
        name, owner = _called(node), node.func.value if isinstance(node.func, ast.Attribute) else None
        if ast.unparse(node.func) == "time.time":
            self._find("wall clock", node)
        if name in ("get", "put") and owner is not None and "queue" in ast.unparse(owner).lower():
            self._find("queue wait", node)
        if name == "start_new_thread" or any(it.arg == "daemon" and _is_true(it.value) for it in node.keywords):
            self._find("loose thread", node)
        if name == "sleep" and self._loops:
            self._find("polling", node)
        if name == "next" and node.args and self._preemptive and not self._held and self._is_shared(node.args[0]):
            self._find("shared iterator", node)
        if name in _STEP_BY_STEP:
            for argument in node.args:
                self._go_through(argument, node)
        if name == "list" and node.args and self._tables.get(_last_name(node.args[0])) == "deque":
            self._go_through(node.args[0], node)  # of a deque it is many steps
        if name == "release" and self._preemptive and owner is not None and _last_name(owner) in _VIEWS:
            self._find("sliced view", node)
        if name == "acquire" and self._is_handler():
            self._find("handler", node)
        self.generic_visit(node)

    def _is_shared(self, node):
        return isinstance(node, ast.Attribute) or (isinstance(node, ast.Name) and node.id in self._globals)

    def _check_then_act(self, node):
        """A test that looks at a container, and a body that changes the same one, with no lock around them."""
        if not self._preemptive or self._held or not self._names:
            return
        seen = {ast.unparse(it) for it in ast.walk(node.test) if self._is_shared(it)}
        for inner in (it for statement in node.body for it in ast.walk(statement)):
            if seen & {*_changed(inner), *_indexed(inner)}:
                self._find("check then act", node)
                return

    def _get_then_store(self, function):
        """`x = table.get(key)` and `table[key] = ...` in one function that takes no lock."""
        inside = list(ast.walk(function))
        if not self._preemptive or any(
            _is_lock(item.context_expr) for it in inside for item in getattr(it, "items", ())
        ):
            return
        asked = {ast.unparse(it.func.value) for it in inside if _called(it) == "get" and not it.keywords}
        for node in inside:
            if asked & set(_changed(node)):
                self._names.append(function.name)
                self._find("check then act", node)
                self._names.pop()
                return


def tables(tree):
    """The attributes to which a file assigns a set, a dict or a deque, and which of them it is."""
    for node in ast.walk(tree):
        for target in _targets_of(node):
            value = getattr(node, "value", None)
            kind = {ast.Dict: "dict", ast.DictComp: "dict", ast.Set: "set"}.get(type(value), _called(value))
            if isinstance(target, ast.Attribute) and kind in _TABLES:
                yield target.attr, kind


def signal_handlers(tree):
    """The functions that a file gives to `signal.signal` or to a `Guard`, by their bare names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in ("signal", "Guard", "LoopGuard", "SignalHandlers"):
            for argument in node.args[:2]:
                if (name := _last_name(argument)) and not name.startswith("SIG"):
                    yield name


def _changed(node):
    """The containers that this node changes, as text."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGES:
        yield ast.unparse(node.func.value)
    for target in _targets_of(node):
        if isinstance(target, ast.Subscript):
            yield ast.unparse(target.value)


def _indexed(node):
    """The container of which this node takes an item by its place, as text: the last one may just have gone."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and not isinstance(node.slice, ast.Slice):
        try:
            if isinstance(ast.literal_eval(node.slice), int):
                yield ast.unparse(node.value)
        except ValueError:
            return  # a key


def _targets_of(node):
    if isinstance(node, (ast.Assign, ast.Delete)):
        return node.targets
    return [node.target] if isinstance(node, (ast.AugAssign, ast.AnnAssign)) else []


def _targets(node):
    return [it.id for it in _targets_of(node) if isinstance(it, ast.Name)]


def _is_lock(node):
    return ast.unparse(node).lower().endswith(_LOCKS)


def _is_constant(node):
    """By its name: __all__, CONSTANT, _CONSTANT."""
    names = [it.id for it in node.targets if isinstance(it, ast.Name)]
    return bool(names) and all(name.upper() == name or name.startswith("__") for name in names)


def _is_true(node):
    return isinstance(node, ast.Constant) and node.value is True


def _last_name(node):
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _called(node):
    return _last_name(node.func) if isinstance(node, ast.Call) else ""
