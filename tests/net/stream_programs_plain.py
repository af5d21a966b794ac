"""`stream_programs` for the sync models: the same text without `await`."""

import stream_programs

from concmodels.conformance.sync import plain

exec(plain(stream_programs.__file__))
