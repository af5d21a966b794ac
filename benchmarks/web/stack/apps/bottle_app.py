"""The service with Bottle."""

import os

import bottle

from benchmarks.web.stack.apps import plain, question

app = bottle.Bottle()
app.route("/row", callback=plain.row)
app.route("/json", callback=lambda: question.MESSAGE)
app.route("/pid", callback=lambda: str(os.getpid()))
