"""`texts.py` and `loops.py` as sync code: the same texts without `async` and `await`."""

from endurance import loops, texts

for _text in (texts, loops):
    with open(_text.__file__) as _file:
        _plain = _file.read().replace("async ", "").replace("await ", "")
    exec(compile(_plain, _text.__file__, "exec", dont_inherit=True))
