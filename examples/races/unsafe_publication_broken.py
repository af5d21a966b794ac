"""The settings are loaded when they are first asked for. Once they are there, no lock is taken: double-checked locking.

But they are there before they are complete: between the two assignments another thread finds settings without a port.
"""

import threading


class Settings:
    port: int


class Server:
    def __init__(self) -> None:
        self._settings: Settings | None = None
        self._lock = threading.Lock()

    def settings(self) -> Settings:
        if self._settings is None:
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
