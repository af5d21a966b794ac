"""A row of the database, for those who wait for it; gevent's workers too, which have replaced what waits here."""

import queue

import psycopg

from benchmarks.web.stack.apps import question

_idle = queue.LifoQueue()
for _ in range(question.CONNECTIONS):
    _idle.put(None)  # one that is not open yet


def row():
    """Return a random row as the service shows it."""
    connection = _idle.get()
    try:
        if connection is None:
            connection = psycopg.connect(question.DATABASE, **question.OPTIONS)
        return question.answer(connection.execute(question.TEXT, question.key()).fetchone())
    finally:
        _idle.put(connection)
