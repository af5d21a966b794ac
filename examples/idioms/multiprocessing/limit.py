"""All processes are joined with one deadline, and those that are late are terminated."""

import time
from multiprocessing import Process


def copy():
    time.sleep(60)


def main():
    end = time.monotonic() + 0.05
    processes = {
        mirror: Process(target=copy)
        for mirror in ("east", "west")
    }
    for process in processes.values():
        process.start()
    for mirror, process in processes.items():
        process.join(max(0, end - time.monotonic()))
        process.terminate()
        process.join()
        print(
            f"{mirror}: {'copied' if process.exitcode == 0 else 'called off'}"
        )


if __name__ == "__main__":
    main()
