"""Load on a server of this machine, how long its answers take, and what is measured by that: the suite `web`.

`python -m benchmarks.web.load` is the command. A `plan` says what is asked for, how often and for how long; the
`generator` does it, by its `connections`, and the `tally` becomes the `report`.

* A closed loop has as many users as connections, and each sends its next request when it has its answer: it finds out
  how many answers a server can give. It says little of how long users wait, because it sends nothing while the server
  stands still.
* An open loop sends at a rate, whatever the server does. The latency of an answer counts from the moment at which its
  request was due (`schedule`), so a server that stands still for a second has a second of late answers.
* What is still unanswered at the end counts with its age, and what goes wrong counts by its name. Nothing is dropped.

`benchmarks.suites.web` says what is measured. `servers` has what is started: `concmodels.serve` on every model, the
programs `by_hand`, and servers of others with `apps`, whose packages are `groups`. A `server` is one process with its
children, on one of the `ports`; `account` is what they have taken, `usage` what they take under load, `loading` that
load. `calls`, `idle`, `slow` and `stop` put these together, and `past` has the figures of an article. `stack` is a
package: servers with frameworks, behind nginx and with a database. What holds for every measurement:

* A server is in the process group of the worker that has started it, and ends with that, however that ends.
* It is ended by SIGTERM. What takes longer than five seconds is killed, with what it leaves; the result says so.
* The load generator is a process of its own, under the session's Python whatever the server runs under. It shares the
  processors with the server, so figures hold against others of their cell.
* A row has what other work and other machines took meanwhile. It is shown, counted, and not measured again.
"""
