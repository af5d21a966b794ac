"""Load on a server of this machine, and how long its answers take.

`python -m benchmarks.web.load` is the command. A `plan` says what is asked for, how often and for how long; the
`generator` does it, by its `connections`, and the `tally` becomes the `report`.

* A closed loop has as many users as connections, and each sends its next request when it has its answer: it finds out
  how many answers a server can give. It says little of how long users wait, because it sends nothing while the server
  stands still.
* An open loop sends at a rate, whatever the server does. The latency of an answer counts from the moment at which its
  request was due (`schedule`), so a server that stands still for a second has a second of late answers.
* What is still unanswered at the end counts with its age, and what goes wrong counts by its name. Nothing is dropped.
"""
