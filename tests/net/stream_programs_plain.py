"""`stream_programs` for the sync models: the same text without `await`."""

import stream_programs

from concmodels.conformance.sync import without_await

with open(stream_programs.__file__, encoding="utf-8") as file:
    exec(compile(without_await(file.read()), stream_programs.__file__, "exec", dont_inherit=True))
