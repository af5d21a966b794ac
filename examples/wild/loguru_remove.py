"""A thread logs while another one removes all handlers: the dictionary changes while it is iterated over."""

import threading

from loguru import logger


def main() -> None:
    logger.remove()
    for _ in range(2):
        logger.add(lambda message: None)
    threads = [threading.Thread(target=logger.remove), threading.Thread(target=logger.info, args=("hello",))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
