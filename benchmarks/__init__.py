"""Benchmarks: every model on the same work, compared with hand-written code and with what one might use instead.

The command is `python -m benchmarks`, and its page is the place to begin. How it measures:

* A candidate runs in a fresh process (`worker`), under pyperf. It returns the seconds of the work itself; what it makes
  before and takes away after is outside the clock.
* Candidates of a cell run side by side, round by round (`session`), and ratios are taken within a round (`goals`): the
  changing load of a busy machine affects both. Medians and the whole spread are shown, never the best.
* Every size, version and circumstance stands in the result (`result`).
* What is compared can be read: `suites` says what and with which sizes, `baselines`, `peers`, `shapes`, `classics` and
  `other_languages` are the programs.
* Two builds of Python that were configured alike but for the GIL (`twins`) take turns within each round, and the result
  says of each how it was built.

`report` makes pages and pictures of a result, `readme` the picture and the tables of the README.
"""
