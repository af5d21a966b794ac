"""A function that is called again when it fails: its callers in two threads get a KeyError from the retrying itself."""

import threading

from tenacity import retry, stop_after_attempt


def main() -> None:
    @retry(stop=stop_after_attempt(2))
    def ask(answers: list[int]) -> None:
        answers.append(len(answers))
        if len(answers) == 1:
            raise ConnectionError

    threads = [threading.Thread(target=ask, args=([],)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
