"""nginx: it takes the requests of the world, and passes them on to one server, or to several in turn."""

import http.client
from collections.abc import Sequence
from pathlib import Path
from signal import SIGTERM

from benchmarks.web.stack.account import Account
from benchmarks.web.stack.component import Component
from benchmarks.web.stack.components import Components

_HEALTH = "/nginx-is-there"
_TRY_S = 2
_PARAMETERS = {
    "REQUEST_METHOD": "$request_method", "REQUEST_URI": "$request_uri", "PATH_INFO": "$document_uri",
    "QUERY_STRING": "$query_string", "CONTENT_TYPE": "$content_type", "CONTENT_LENGTH": "$content_length",
    "SERVER_PROTOCOL": "$server_protocol", "SERVER_NAME": "$server_name", "SERVER_PORT": "$server_port",
    "REMOTE_ADDR": "$remote_addr",
}  # fmt: skip
"""What a server hears of a request by the protocol of uWSGI."""
_HTTP = 'proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection "";'


def settings(folder: Path, port: int, servers: Sequence[int], *, uwsgi: bool) -> str:
    """Return the configuration. It keeps 64 connections to the servers open, to those that can; none by uWSGI's way."""
    temporary = " ".join(
        f'{kind}_temp_path "{folder}/{kind}";' for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    upstream = " ".join(f"server 127.0.0.1:{server} max_fails=0;" for server in servers)
    parameters = " ".join(f"uwsgi_param {name} {value};" for name, value in _PARAMETERS.items())
    passed_on = f"uwsgi_pass app; {parameters}" if uwsgi else _HTTP
    return f"""
daemon off;
worker_processes 1;
pid "{folder}/pid";
error_log stderr warn;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    keepalive_requests 10000000;
    {temporary}
    upstream app {{ {upstream} {"" if uwsgi else "keepalive 64;"} }}
    server {{
        listen 127.0.0.1:{port} backlog=1024;
        location = {_HEALTH} {{ return 204; }}
        location / {{ {passed_on} }}
        # A server that is not there yet: as without nginx, there is no answer.
        location = /json {{ {passed_on} error_page 502 504 = @nobody; }}
        location @nobody {{ return 444; }}
    }}
}}
"""


def server(components: Components, account: Account, folder: Path, log: Path) -> Component:
    """Return nginx with the file nginx.conf of this folder as its configuration, not yet started."""
    command = [str(components.nginx), "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr"]
    return Component("nginx", command, account, log, polite=SIGTERM, at_once=SIGTERM)


def answers(port: int) -> bool:
    """Return whether it answers, whatever becomes of the server behind it."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_TRY_S)
    try:
        connection.request("GET", _HEALTH)
        return connection.getresponse().status == 204
    except OSError, http.client.HTTPException:
        return False
    finally:
        connection.close()
