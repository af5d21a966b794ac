"""Shows a folder of pages on this machine only: `python tools/serve.py build/docs [--port 8000]`. Ctrl-C ends it."""

import argparse
import functools
import sys
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HOST = "127.0.0.1"


class Quiet(SimpleHTTPRequestHandler):
    """Says nothing about every request."""

    def log_message(self, format: str, *args: object) -> None:
        """Not a line for each picture."""


class Handler(Quiet):
    """Serves what is there now."""

    def end_headers(self) -> None:
        """Browsers ask again each time: the pages change while somebody writes them."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()


def main() -> int:
    """Serve until Ctrl-C; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="what to show")
    parser.add_argument(
        "--port", type=int, default=8000, help="0: any free one; default 8000, or a free one if it is taken"
    )
    options = parser.parse_args()
    if not (options.folder / "index.html").is_file():
        print(f"serve: {options.folder} has no index.html; `make docs` builds the docs", file=sys.stderr)
        return 2
    with _server(options.folder, options.port) as server:
        print(f"{options.folder} is at http://{HOST}:{server.server_port}/ (Ctrl-C ends this)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0


def _server(folder: Path, port: int) -> ThreadingHTTPServer:
    handler = functools.partial(Handler, directory=str(folder))
    try:
        return ThreadingHTTPServer((HOST, port), handler)
    except OSError:
        return ThreadingHTTPServer((HOST, 0), handler)


if __name__ == "__main__":
    sys.exit(main())
