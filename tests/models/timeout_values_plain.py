"""`timeout_values` for the sync models: the same text without `await`."""

import timeout_values

from concmodels.conformance.sync import plain

exec(plain(timeout_values.__file__))
