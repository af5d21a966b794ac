"""PgBouncer: a few connections to PostgreSQL for many of servers; each transaction borrows one."""

from pathlib import Path
from signal import SIGINT, SIGKILL

from benchmarks.web.stack import database
from benchmarks.web.stack.account import Account
from benchmarks.web.stack.component import Component
from benchmarks.web.stack.components import Components
from benchmarks.web.stack.database import DatabaseError
from benchmarks.web.stack.postgres import DATABASE, USER

NAME = "test"
"""The database, as servers see it."""
_CONSOLE = "pgbouncer"
_QUERY_S = 2


def settings(port: int, postgres: int, pool: int) -> str:
    """Return the configuration. With `auth_type = any` everybody is the user of the database: only we are there."""
    return f"""
[databases]
{NAME} = host=127.0.0.1 port={postgres} dbname={DATABASE} user={USER}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
listen_backlog = 1024
unix_socket_dir =
auth_type = any
admin_users = {USER}
stats_users = {USER}
pool_mode = transaction
default_pool_size = {pool}
max_client_conn = 2000
ignore_startup_parameters = extra_float_digits
log_connections = 0
log_disconnections = 0
"""


def server(components: Components, account: Account, file: Path, log: Path) -> Component:
    """Return PgBouncer with this file as its configuration, not yet started."""
    command = [str(components.pgbouncer), str(file)]
    return Component("PgBouncer", command, account, log, polite=SIGINT, at_once=SIGKILL)


def answers(port: int) -> bool:
    """Return whether its console answers."""
    try:
        return bool(database.query(port, _CONSOLE, USER, "show version", _QUERY_S))
    except OSError, DatabaseError:
        return False


def queries(port: int) -> int:
    """Return how many queries it has passed on to PostgreSQL since it was started, by its own statistics."""
    for row in database.query(port, _CONSOLE, USER, "show stats"):
        if row["database"] == NAME:
            return int(row["total_query_count"] or 0)
    return 0
