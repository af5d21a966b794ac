"""`connection.wait` returns at the first answer; processes can be terminated from outside."""

import time
from multiprocessing import Pipe, Process
from multiprocessing.connection import wait

MIRRORS = {"near": 0.01, "far": 60, "farther": 60}


def ask(mirror, delay, answer):
    time.sleep(delay)
    answer.send(mirror)


def main():
    readers, processes = [], []
    for mirror, delay in MIRRORS.items():
        reader, writer = Pipe(duplex=False)
        processes.append(
            Process(target=ask, args=(mirror, delay, writer))
        )
        processes[-1].start()
        readers.append(reader)
    print(wait(readers)[0].recv(), "answered")
    for process in processes:
        process.terminate()
        process.join()


if __name__ == "__main__":
    main()
