"""Programs in which one thread looks twice at what another one changes, of all kinds of things that threads share.

Each is broken for certain: it is made only if the two looks differ when the change comes between them. With a lock
around both functions it is right. A row has what is shared, some looks at it and some changes, with `x` for the thing;
a form says by which way the change gets at it.
"""

import random
import sys
import textwrap
from types import ModuleType

from method_rows import MADE, calls_of, changes, names_of

from concmodels.explore.preemption import table

MAPPING = (
    ["x['a']", "x.get('a')", "len(x)", "list(x)", "'a' in x", "sorted(x)", "dict(x)", "{**x}", "bool(x)",
     "list(x.values())"],
    ["x['a'] = K", "del x['a']", "x.clear()", "x.pop('a')", "x.update(a=K)", "x.popitem()"],
)  # fmt: skip
NAMED = (
    ["x.n", "getattr(x, 'n')", "getattr(x, NAME)", "operator.attrgetter('n')(x)", "vars(x)['n']", "x.__dict__['n']",
     "copy.copy(x).n", "'{0.n}'.format(x)", "object.__getattribute__(x, 'n')", "pickle.dumps(x)", "[x][0].n",
     "'n' in vars(x)", "dict(vars(x))", "len(x.__dict__)", "vars(x).get(NAME)", "list(x.__dict__.items())",
     "getattr(x, '__dict__')['n']", "{**x.__dict__}"],
    ["x.n = 5", "x.n += 1", "setattr(x, 'n', 5)", "setattr(x, NAME, 5)", "object.__setattr__(x, 'n', 5)",
     "vars(x)['n'] = 5", "x.__dict__.update(n=5)", "functools.partial(setattr, x)('n', 5)", "exec('x.n = 5', {'x': x})",
     "put(x, 'n', 5)", "builtins.setattr(x, 'n', 5)", "vars(x).pop('n')", "d = x.__dict__; d[NAME] = 5",
     "x.__dict__.clear()", "del vars(x)['n']", "vars(x).update({'n': 5})", "x.__dict__['m'] = 5",
     "vars(x).setdefault('m', 2)", "dict.update(x.__dict__, n=5)", "x.__dict__['' + NAME] = 5"],
)  # fmt: skip
ROWS = {
    "list": ("[3, 1, 2]",
        ["x[0]", "len(x)", "x[:]", "str(x)", "x == [3, 1, 2]", "sum(x)", "3 in x", "sorted(x)", "f'{x}'", "[*x]",
         "x + [1]",
         "list(map(str, x))", "tuple(reversed(x))", "json.dumps(x)", "copy.copy(x)", "operator.itemgetter(0)(x)",
         "list.__len__(x)", "'%s' % x", "list(itertools.islice(x, 2))", "collections.Counter(x)", "pickle.dumps(x)"],
        ["x.clear()", "x.append(9)", "x.pop()", "x[0] = 8", "x[:] = [5]", "x.insert(0, 4)", "x.sort()", "x.reverse()",
         "list.append(x, 5)", "operator.setitem(x, 0, 7)", "heapq.heappush(x, 0)", "random.Random(1).shuffle(x)",
         "operator.iadd(x, [4])", "list(map(x.append, (1, 2)))", "x.extend(i for i in (1, 2))", "x.__init__([7])",
         "functools.partial(x.append, 3)()", "operator.methodcaller('append', 3)(x)"]),
    "dict": ("{'a': 1, 'b': 2}", *MAPPING),
    "OrderedDict": ("collections.OrderedDict(a=1)", *MAPPING),
    "defaultdict": ("collections.defaultdict(int, a=1)", *MAPPING),
    "Counter": ("collections.Counter(a=1)", *MAPPING),
    "UserDict": ("collections.UserDict(a=1)", *MAPPING),
    "ChainMap": ("collections.ChainMap({'a': 1})", *MAPPING),
    "WeakValueDictionary": ("weakref.WeakValueDictionary(a=KEPT)", *MAPPING),
    "set": ("{1, 2, 3}",
        ["1 in x", "len(x)", "sorted(x)", "x | {9}", "x == {1, 2, 3}", "{1} <= x", "frozenset(x)", "bool(x)"],
        ["x.clear()", "x.discard(1)", "x.difference_update({1})", "x.symmetric_difference_update({1})", "x.remove(1)"]),
    "WeakSet": ("weakref.WeakSet([KEPT])", ["KEPT in x", "len(x)", "list(x)", "bool(x)"],
        ["x.add(K); x.discard(KEPT)", "x.clear()", "x.pop()"]),
    "deque": ("collections.deque([1, 2, 3])", ["x[0]", "len(x)", "list(x)", "1 in x", "str(x)"],
        ["x.popleft()", "x.appendleft(7)", "x.rotate(1)", "x.extendleft([8])", "x[0] = 9"]),
    "UserList": ("collections.UserList([3, 1])", ["x[0]", "len(x)", "list(x)", "3 in x", "str(x)", "x.data[0]"],
        ["x[0] = 8", "x.append(4); x.pop(0)", "x.clear()", "del x[0]", "x.data[0] = 7"]),
    "buffer": ("bytearray(b'abc')",
        ["x[0]", "bytes(x)", "x.find(b'a')", "x.decode()", "view[0]", "bytes(view)", "view.tolist()", "part.tolist()",
         "struct.unpack_from('B', view)", "int.from_bytes(x)"],
        ["x[0] = 120", "view[0] = 120", "part[0] = 120", "struct.pack_into('B', view, 0, 1)", "view[:1] = b'q'",
         "io.BytesIO(b'zzz').readinto(x)", "memoryview(view)[0] = 8"]),
    "array": ("array.array('i', [1, 2])", ["x[0]", "list(x)", "x.tolist()", "sum(x)", "view[0]", "view.tolist()"],
        ["x[0] = 9", "view[0] = 9", "x.reverse()", "x.byteswap()", "view[0] += 4"]),
    "object": ("Own(1)", *NAMED),
    "dataclass": ("Data(1)", [*NAMED[0], "x == Data(1)", "repr(x)", "dataclasses.replace(x).n", "f'{x}'",
        "x in [Data(1)]"], NAMED[1]),
    "namespace": ("types.SimpleNamespace(n=1)", [*NAMED[0], "x == types.SimpleNamespace(n=1)", "repr(x)"], NAMED[1]),
    "slots": ("Slots(1)", ["x.n", "getattr(x, 'n')", "Slots.n.__get__(x)", "SLOT.__get__(x)", "copy.copy(x).n"],
        ["x.n = 5", "Slots.n.__set__(x, 5)", "SLOT.__set__(x, 6)", "setattr(x, 'n', 5)", "type(x).n.__set__(x, 6)"]),
    "class": ("type('Made', (), {'n': 1})", ["x.n", "x().n", "getattr(x, 'n')", "vars(x)['n']", "type(x()).n"],
        ["x.n = 5", "setattr(x, 'n', 5)", "type.__setattr__(x, 'n', 6)", "type(x()).n = 8", "type(x()).n += 1"]),
    "module": ("types.ModuleType('made'); x.n = 1", [it for it in NAMED[0] if "pickle" not in it and "copy" not in it],
        NAMED[1]),
    "global variable": ("1", ["x", "globals()['x']", "globals().get('x')", "len(globals())", "'x' in globals()",
        "'xy' in globals()"],
        ["globals()['x'] = 2", "globals().update(x=2)", "globals()['x' + 'y'] = 2", "globals().pop('x')",
         "globals()['x'] += 1"]),
    "function": ("lambda n=1: n", ["x()", "x.__defaults__", "[x()]"],
        ["x.__defaults__ = (8,)", "setattr(x, '__defaults__', (9,))", "x.__code__ = (lambda n=3: 77).__code__"]),
    "iterator": ("iter([1, 2, 3, 4])", ["x.__length_hint__()", "next(copy.copy(x))", "operator.length_hint(x)"],
        ["next(x)", "list(itertools.islice(x, 1))", "list(zip(x, x))", "2 in x", "any(x)", "next(map(str, x))",
         "next(enumerate(x))", "a, *b = x", "[].extend(x)"]),
    "generator": ("steps()", ["len(STEPS)", "STEPS[-1:]"],
        ["next(x)", "list(x)", "x.send(None)", "list(itertools.islice(x, 2))", "2 in x", "any(x)"]),
    "cache": ("cached", ["x.cache_info()", "x(1)"], ["x.cache_clear()", "x(2)", "x(3); x(3)"]),
    "cached property": ("Lazy()", ["x.value"], ["x.n = 5; x.__dict__.pop('value', None)", "x.n = 5; vars(x).clear()"]),
    "StringIO": ("io.StringIO('abc')", ["x.getvalue()", "x.tell()", "x.closed"],
        ["x.write('zzzz')", "x.truncate(0); x.seek(2)", "x.close()", "print('hello', file=x)"]),
    "file": ("make_file('one')",
        ["read(x)", "os.path.getsize(x)", "os.path.exists(x)", "pathlib.Path(x).read_text()", "os.stat(x).st_size",
         "os.listdir(os.path.dirname(x))"],
        ["open(x, 'w').close()", "pathlib.Path(x).write_text('other text')", "os.remove(x)", "write(x, 'abcdef')",
         "os.rename(x, x + '.new')", "os.truncate(x, 0)", "shutil.move(x, x + '.old')"]),
    "random": ("random.Random(1)", ["copy.copy(x).random()", "x.getstate()[1][:5]"], ["x.random()", "x.seed(3)"]),
    "logger": ("logger()", ["x.level", "x.isEnabledFor(10)", "len(x.handlers)"],
        ["x.setLevel(50)", "x.addHandler(HANDLER)"]),
    "exception": ("ValueError([1])", ["x.args", "str(x)", "repr(x)"], ["x.args = (5,)", "x.args[0][0] = 7"]),
    "settings": ("sys", ["x.getrecursionlimit()"], ["x.setrecursionlimit(1234)"]),
    "class body": ("[1]", ["x[0]", "len(x)", "in_class(x)"],
        ["class B: x.insert(0, 5)", "class B: x[0] = 9; x.append(3)"]),
}  # fmt: skip


def of_methods(kind):
    """Return what is shared, looks and changes of a row of the table: all methods of a container, called by name."""
    calls = [(name, given) for name in names_of(kind) for given in list(calls_of(kind, name))[:2]]
    reading = table.READ_ITEM | table.READ_SHAPE | table.READ_WHOLE
    looks = [f"x.{name}({given})" for name, given in calls if name in reading]
    lazy = ("x.keys", "x.values", "x.items", "x.elements", "x.__iter__", "x.__reversed__")
    looks = [f"list({look})" if look.startswith(lazy) else look for look in looks]
    return MADE[kind], looks, [f"x.{name}({given})" for name, given in calls if changes(kind, name, given)]


ROWS |= {f"{kind.__name__}, by its methods": of_methods(kind) for kind in MADE}

FORMS = {
    "alone": "{change}",
    "by another name": "y = x\n{change:y}",
    "in a container": "{change:held[0]}",
    "in a call-back": "def inner(x):\n{inner}\nlist(map(inner, held))",
}
TEXT = """
from collections import Counter, OrderedDict, defaultdict, deque
import array, builtins, collections, copy, dataclasses, functools, heapq, io, itertools, json, logging, operator, os
import pathlib, pickle, random, shutil, struct, sys, tempfile, threading, types, weakref

NAME, STEPS, HANDLER, put = "n", [], logging.NullHandler(), setattr
lock, bad = threading.Lock(), []

class Own:
    def __init__(self, n): self.n = n
@dataclasses.dataclass
class Data:
    n: int
class Slots:
    __slots__ = ("n",)
    def __init__(self, n): self.n = n
SLOT = Slots.n
class Lazy:
    n = 1
    @functools.cached_property
    def value(self): return self.n
class Key:
    pass
KEPT, K = Key(), Key()
def steps():
    for number in range(9):
        STEPS.append(number)
        yield number
@functools.lru_cache
def cached(number):
    STEPS.append(number)
    return len(STEPS)
def in_class(x):
    class B:
        n = len(x)
    return B.n
FOLDER = tempfile.mkdtemp(dir=r"{folder}")
def make_file(text):
    write(os.path.join(FOLDER, "file.txt"), text)
    return os.path.join(FOLDER, "file.txt")
def read(path):
    with open(path) as file: return file.read()
def write(path, text):
    with open(path, "w") as file: file.write(text)
def logger():
    it = logging.getLogger("shared")
    it.setLevel(10)
    it.handlers.clear()
    return it

x = {make}
held = [x]
{views}
def look():
    try:
        return repr({look})
    except Exception as error:
        return type(error).__name__
def change():
{change}
def one():
    with {lock}:
        before, after = look(), look()
        if before != after:
            bad.append(1)
def other():
    with {lock}:
        try:
            change()
        except (AttributeError, LookupError, StopIteration, TypeError, ValueError):
            pass
def main():
    threads = [threading.Thread(target=it) for it in (one, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not bad
"""
VIEWS = {"buffer": "view = memoryview(x)\npart = view[:2]", "array": "view = memoryview(x)"}


class Program:
    """The program of a number, broken and fixed; `name` says what it is made of."""

    def __init__(self, number, folder):
        draw = random.Random(f"shared {number}")
        row = draw.choice(list(ROWS))
        make, looks, changes = ROWS[row]
        look, change, form = draw.choice(looks), draw.choice(changes), draw.choice(list(FORMS))
        self.name = f"{number}: {row} {form}, {look}, {change}"
        self._parts = {"make": make, "look": look, "views": VIEWS.get(row, ""), "folder": folder}
        self._parts["change"] = textwrap.indent(changed(FORMS[form], change), "    ")

    def text(self, *, fixed):
        """Return the text of the program, in which a lock orders the two functions if it is fixed."""
        text = TEXT
        parts = self._parts | {"lock": "lock" if fixed else "threading.Lock()"}
        for name, part in parts.items():
            text = text.replace("{" + name + "}", str(part))
        return text

    @property
    def is_broken(self):
        """Whether the two looks differ if the change comes between them, and only then."""
        module = sys.modules["shared_program"] = ModuleType("shared_program")
        limit = sys.getrecursionlimit()
        try:
            exec(compile(self.text(fixed=False), "shared_program", "exec"), vars(module))
            before, again = module.look(), module.look()
            module.other()
            return before == again != module.look()
        finally:
            sys.setrecursionlimit(limit)
            del sys.modules["shared_program"]


def changed(form, change):
    """Return the lines of a change in this form."""
    text = form.replace("{change}", change).replace("{inner}", textwrap.indent(change, "    "))
    for name in ("y", "held[0]"):
        text = text.replace("{change:" + name + "}", replaced(change, name))
    return text


def replaced(change, name):
    """Return a change of `x` with another name for it. The name is a word of its own in it, and in no text."""
    if change.startswith(("exec", "class", "view", "part")):
        return change
    return "".join(name if it == "x" else it for it in _words(change))


def _words(text):
    word = ""
    for letter in text:
        if letter.isalnum() or letter in "_.'":
            word += letter
            continue
        yield from _split(word)
        yield letter
        word = ""
    yield from _split(word)


def _split(word):
    first, dot, rest = word.partition(".")
    yield first
    yield dot + rest
