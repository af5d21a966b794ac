"""The requirements of the servers of others: pinned, in small groups, each installed into a folder of its own.

Several groups rather than one, because one of them may have no wheel for a Python, and because two servers may want
different versions of one library. A server names its own group, and `web-apps` if it runs a framework.
"""


def _pinned(requirements: str) -> tuple[str, ...]:
    return tuple(requirements.split())


STACK = "web-stack"
"""PostgreSQL, PgBouncer and nginx: no libraries; `tools/web.sh` unpacks them where they are missing."""

GROUPS: dict[str, tuple[str, ...]] = {
    STACK: (),
    "web-uvicorn": ("uvicorn==0.54.0", "uvloop==0.23.0", "httptools==0.9.0", "h11==0.16.0", "click==8.5.1"),
    "web-uvloop": ("uvloop==0.23.0",),
    "web-tls": ("cryptography==50.0.2", "cffi==2.1.1", "pycparser==3.12"),
    "web-granian": ("granian==2.8.7", "click==8.5.1"),
    "web-gunicorn": ("gunicorn==27.0.1",),
    "web-gevent": _pinned("gunicorn==27.0.1 gevent==26.9.0 greenlet==3.5.6 zope-event==6.2 zope-interface==8.7"),
    "web-uwsgi": _pinned("pyuwsgi==2.0.30.post1"),
    "web-daphne": _pinned(
        "daphne==4.2.3 asgiref==3.13.0 attrs==26.1.0 autobahn==26.10.2 automat==25.4.16 cbor2==6.3.0 cffi==2.1.1 "
        "constantly==23.10.4 cryptography==50.0.2 hyperlink==21.0.0 idna==3.20 incremental==24.11.0 msgpack==1.2.4 "
        "packaging==26.3 pycparser==3.12 pyopenssl==26.4.0 service-identity==26.1.0 twisted==26.10.0 txaio==26.6.1 "
        "typing-extensions==4.16.0 ujson==6.1.0 zope-interface==8.7"
    ),
    "web-aiohttp": _pinned(
        "gunicorn==27.0.1 aiohttp==3.14.5 uvloop==0.23.0 aiohappyeyeballs==2.7.1 aiosignal==1.4.0 attrs==26.1.0 "
        "frozenlist==1.8.0 idna==3.20 multidict==7.2.1 propcache==0.5.4 yarl==1.25.1"
    ),
    "web-sanic": _pinned(
        "sanic==25.12.1 uvicorn==0.54.0 uvloop==0.23.0 httptools==0.9.0 aiofiles==25.1.0 click==8.5.1 h11==0.16.0 "
        "html5tagger==2.0.0 multidict==6.9.1 sanic-routing==23.12.0 setuptools==84.2.1 tracerite==2.6.5 "
        "typing-extensions==4.16.0 ujson==6.1.0 websockets==17.4"
    ),
    "web-apps": _pinned(
        "flask==3.1.3 werkzeug==3.1.9 jinja2==3.1.6 markupsafe==3.0.4 itsdangerous==2.2.0 blinker==1.9.0 "
        "bottle==0.13.4 falcon==4.4.0 fastapi==0.165.0 starlette==1.10.0 pydantic==2.14.3 pydantic-core==2.50.4 "
        "anyio==4.16.0 click==8.5.1 idna==3.20 typing-extensions==4.16.0"
    ),
    "web-psycopg": _pinned("psycopg==3.3.9 psycopg-binary==3.3.9 psycopg-pool==3.3.3 typing-extensions==4.16.0"),
}


def requirements(need: str) -> tuple[str, ...]:
    """Return what is installed for this need: the requirements of a group, or a distribution by its name."""
    return GROUPS.get(need, (need,))


def distributions(need: str) -> list[str]:
    """Return the names of these distributions."""
    return [requirement.partition("==")[0] for requirement in requirements(need)]
