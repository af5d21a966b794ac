"""What the servers of others need: pinned requirements in small groups, each installed into a folder of its own.

Several groups rather than one, because one of them may have no wheel for a Python, and because two servers may want
different versions of one library. A server names its own group, and `web-apps` if it runs a framework.
"""

GROUPS = {
    "web-uvicorn": ("uvicorn==0.54.0", "uvloop==0.23.0", "httptools==0.9.0", "h11==0.16.0", "click==8.5.1"),
    "web-granian": ("granian==2.8.7", "click==8.5.1"),
    "web-gunicorn": ("gunicorn==27.0.1",),
    "web-apps": (
        "flask==3.1.3",
        "werkzeug==3.1.9",
        "jinja2==3.1.6",
        "markupsafe==3.0.4",
        "itsdangerous==2.2.0",
        "blinker==1.9.0",
        "fastapi==0.165.0",
        "starlette==1.10.0",
        "pydantic==2.14.3",
        "pydantic-core==2.50.4",
        "anyio==4.16.0",
        "click==8.5.1",
    ),
}


def requirements(need: str) -> tuple[str, ...]:
    """Return what is installed for this need: the requirements of a group, or a distribution by its name."""
    return GROUPS.get(need, (need,))


def distributions(need: str) -> list[str]:
    """Return the names of these distributions."""
    return [requirement.partition("==")[0] for requirement in requirements(need)]
