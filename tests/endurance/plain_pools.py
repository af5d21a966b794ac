"""`pools.py` as sync code: the same text without `async` and `await`."""

from endurance import pools

with open(pools.__file__) as _file:
    _plain = _file.read().replace("async ", "").replace("await ", "")
exec(compile(_plain, pools.__file__, "exec", dont_inherit=True))
