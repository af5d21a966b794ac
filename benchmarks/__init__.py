"""Benchmarks: every model on the same work, held against code by hand, and against what one might pick instead.

`python -m benchmarks` is the command, and its page the place to begin. How it measures:

* A candidate runs in a fresh process (`worker`), under pyperf. It returns the seconds of the work itself; what it makes
  before and takes away after is outside the clock.
* Candidates of a cell run side by side, round by round (`session`), and ratios are taken within a round (`goals`): the
  moods of a busy machine strike both. Medians and the whole spread are shown, never the best.
* Every size, version and circumstance stands in the result (`result`).
* Whoever compares reads what is compared: `suites` says what and with which sizes, `baselines`, `peers`, `classics` and
  `other_languages` are the programs.

`report` makes pages and pictures of a result, `readme` the tables of the README.
"""
