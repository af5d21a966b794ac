"""`timeout_values` for the sync models: the same text without `await`."""

import timeout_values

from concmodels.conformance.sync import without_await

with open(timeout_values.__file__, encoding="utf-8") as file:
    exec(compile(without_await(file.read()), timeout_values.__file__, "exec", dont_inherit=True))
