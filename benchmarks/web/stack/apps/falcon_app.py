"""The service with Falcon."""

import os

import falcon

from benchmarks.web.stack.apps import plain, question


class Page:
    """The resource at one path."""

    def __init__(self, content):
        self.content = content

    def on_get(self, request, response):
        """Answer a GET."""
        response.media = self.content()


app = falcon.App()
app.add_route("/row", Page(plain.row))
app.add_route("/json", Page(lambda: question.MESSAGE))
app.add_route("/pid", Page(os.getpid))
