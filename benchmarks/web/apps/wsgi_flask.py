"""The article's service on Flask: /json, and /io, which sleeps for 10 ms."""

import time

import flask

app = flask.Flask(__name__)


@app.get("/json")
def as_json():
    """Answer at once."""
    return flask.jsonify(message="Hello, world!")


@app.get("/io")
def io():
    """Answer after 10 ms."""
    time.sleep(0.01)
    answer = flask.make_response(b"Hello, waited 10ms")
    answer.content_type = "text/plain"
    return answer
