"""The service with Flask."""

import os

import flask

from benchmarks.web.stack.apps import plain, question

app = flask.Flask("stack")
app.add_url_rule("/row", view_func=lambda: flask.jsonify(plain.row()), endpoint="row")
app.add_url_rule("/json", view_func=lambda: flask.jsonify(question.MESSAGE), endpoint="json")
app.add_url_rule("/pid", view_func=lambda: str(os.getpid()), endpoint="pid")
