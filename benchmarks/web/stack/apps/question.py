"""The question to the database, its place, and the number of this process's connections, from the environment."""

import os
import random

DATABASE = os.environ.get("STACK_DATABASE", "")
CONNECTIONS = int(os.environ.get("STACK_CONNECTIONS", "1"))
DELAY_MS = float(os.environ.get("STACK_DELAY_MS", "0"))
ROWS = 100_000
MESSAGE = {"message": "Hello, world!"}
OPTIONS = {"autocommit": True, "prepare_threshold": None}
"""Of a connection: a query is one message there and one back, and nothing else passes PgBouncer."""
TEXT = f"select a, b{f', pg_sleep({DELAY_MS / 1000})' if DELAY_MS else ''} from test where a = %s"


def key():
    """Return the key of a random row."""
    return (random.randrange(1, ROWS + 1),)


def answer(row):
    """Return what the service answers for a row, which is of the same length for all."""
    return {"a": str(row[0]).zfill(10), "b": row[1]}
