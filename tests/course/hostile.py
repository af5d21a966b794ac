"""Hand-ins of exercise 2 that attack the grader, each with what its verdict has to say."""

RIGHT = """
import threading
class Counter:
    def __init__(self):
        self.value, self.lock = 0, threading.Lock()
    def add(self, number):
        with self.lock:
            self.value += number
"""
FORGED = '{"exercise": 2, "max_score": 4, "steps": [{"says": "", "points": 4, "max_points": 4, "sentence": "all", '
FORGED += '"picture": "", "replay": ""}], "stopped": "", "note": ""}'

EVERY_DESCRIPTOR = f"""
import os
for seal in (b"", b"0" * 64):
    for descriptor in range(256):
        try:
            os.write(descriptor, seal + {FORGED.encode()!r})
        except OSError:
            pass
os._exit(0)
"""

FRAMES = f"""
import gc, hmac, os, sys
def keys():
    frame = sys._getframe()
    while frame is not None:
        yield from frame.f_locals.values()
        yield from frame.f_globals.values()
        frame = frame.f_back
    yield from gc.get_objects()
    for thing in gc.get_objects():
        yield from gc.get_referents(thing)
body = {FORGED.encode()!r}
for key in keys():
    if type(key) in (bytes, bytearray) and len(key) == 32 or type(key) is str and len(key) in (32, 64):
        key = key.encode() if type(key) is str else key
        for descriptor in range(3, 40):
            try:
                os.write(descriptor, hmac.new(key, body, "sha256").hexdigest().encode() + body)
            except OSError:
                continue
            os._exit(0)
raise SystemError("no key is left")
"""

CHILD = """
import ctypes, os
libc = ctypes.CDLL(None)  # the explorer refuses Python's own ways to fork and to wait
if libc.fork() == 0:
    os.setsid()
    if libc.fork() == 0:
        open("started", "w").close()
        libc.pause()
    os._exit(0)
os.wait()
while not os.path.exists("started"):
    libc.usleep(10_000)
raise SystemError(os.getcwd())
"""

WRITES = "open({outside!r}, 'a').write('changed')\n"
MOUNTS = """
import ctypes, os, struct
libc = ctypes.CDLL(None)
folder = os.path.dirname({outside!r}).encode()
for _ in range(2):
    libc.mount(b"none", b"/", None, ctypes.c_ulong(0x1000 | 0x20), None)
    libc.mount(folder, folder, None, ctypes.c_ulong(0x1000), None)
    libc.syscall(442, -100, b"/", 0x8000, struct.pack("4Q", 0, 1, 0, 0), 32)
    libc.unshare(0x10000000 | 0x20000)  # what a new world of its own lets it do, the second time
"""

NO_COUNTER = "Counter = None\n"
BOMB = "import os, signal, time\nfor _ in range(20):\n    if os.fork() == 0: os.setsid(); time.sleep(300)\n"

FIRST = ("forges", "leaves_child", "kills_parent", "forks", "mounts", "waits_for_ever", "takes_memory")
"""The others only with --thorough."""

HOSTILE = {
    "forges": (EVERY_DESCRIPTOR, "it wrote into the grader's own pipe"),
    "reads_frames": (FRAMES, ""),
    "leaves_child": (CHILD, "SystemError: /"),
    "writes_outside": (WRITES, "Read-only file system"),
    "mounts": (MOUNTS + WRITES, "Read-only file system"),
    "loops": ("while True: pass\n", "it computed for more than 1 s"),
    "loops_in_method": (RIGHT.replace("self.value += number", "while True: number"), ""),
    "takes_memory": (
        "class Counter:\n    value = 0\n    def add(self, number): self.it = bytearray(2**32)\n",
        "MemoryError",
    ),
    "prints": ("while True: print('x' * 10**6)\n", "it computed for more than 1 s"),
    "fills_disk": ("with open('big', 'wb') as file:\n    while True: file.write(bytes(2**20))\n", "File too large"),
    "nothing": ("", "cannot import name 'Counter'"),
    "no_python": ("class Counter(", "'(' was never closed"),
    "no_text": ("\0", "null bytes"),
    "exits": ("import os; os._exit(0)\n", "it ended Python before the check was done"),
    "leaves": ("import sys; sys.exit()\n", ""),
    "crashes": ("import ctypes; ctypes.string_at(0)\n", "it ended Python with status 139"),
    "kills_parent": ("import os, signal; os.kill(os.getppid(), signal.SIGKILL)\n" + NO_COUNTER, "NoneType"),
    "stops_parent": ("import os, signal; os.kill(os.getppid(), signal.SIGSTOP)\n" + NO_COUNTER, "NoneType"),
    "forks": (BOMB, "may start no process"),
    "closes_everything": ("import os; os.closerange(0, 256)\nclass Counter: pass\n", ""),
    "waits_for_ever": (RIGHT.replace("Lock()", "Lock(); self.lock.acquire()"), "nobody can go on"),
    "takes_input": ("input()\n", "input()"),
    "recurses": ("def f(): f()\nf()\n", "RecursionError"),
}

CHEATS = {
    "replaces_thread": (
        """
import threading
class InOrder:
    def __init__(self, target, args=()): target(*args)
    def start(self): pass
    join = start
threading.Thread = InOrder
class Counter:
    value = 0
    def add(self, number): self.value += number
""",
        "look at it: it uses threading.Thread",
    ),
    "replaces_start": (
        RIGHT + "threading.Thread.start = lambda self: self.run()\n",
        "it replaces threading.Thread.start, with which it is checked",
    ),
    "replaces_builtin": (
        RIGHT + "import builtins\nbuiltins.sum = min\n",
        "it replaces builtins.sum, with which it is checked",
    ),
    "is_constant": (
        "class Counter:\n    value = 3\n    def add(self, number):\n        if number == 'one': raise TypeError\n",
        "a new counter is 0",
    ),
    "is_equal_to_all": (
        "class All:\n    __eq__ = lambda *_: True\n    __ne__ = __eq__\n"
        "class Counter:\n    value = All()\n    def add(self, number): number + 1\n",
        "a plain int",
    ),
}
"""Hand-ins of exercise 2 that fool its check, instead of the grader."""
