"""`gevent.Timeout` is no `Exception`: a clause that catches every `Exception` lets it through."""

import gevent


def fetch() -> str:
    try:
        with gevent.Timeout(0.02):
            gevent.sleep(60)
        return "fetched"
    except Exception:  # noqa: BLE001 - it is what many programs do
        return "handled"


if __name__ == "__main__":
    try:
        print(fetch())
    except gevent.Timeout as error:
        print("not handled:", error)
    print("subclass of Exception:", issubclass(gevent.Timeout, Exception))
