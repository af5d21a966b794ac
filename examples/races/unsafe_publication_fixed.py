"""The settings are loaded when they are first asked for.

Every look at them takes the lock, so they are seen before they are loaded, or complete. (It would do to complete them
first and to assign them last, on every Python there is; but only the lock says so in the language's own words.)
"""

import threading


class Settings:
    port: int


class Server:
    def __init__(self) -> None:
        self._settings: Settings | None = None
        self._lock = threading.Lock()

    def settings(self) -> Settings:
        with self._lock:
            if self._settings is None:
                self._settings = Settings()
                self._settings.port = 8080
            return self._settings


def connect(server: Server) -> None:
    assert server.settings().port == 8080


def main() -> None:
    server = Server()
    threads = [threading.Thread(target=connect, args=(server,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
