"""The main thread has ended. Whom does Python wait for, and who is cut off without clean-up?"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

main_has_ended = threading.Event()


def work(kind: str, takes: float) -> None:
    try:
        main_has_ended.wait()
        time.sleep(takes)
        print(f"{kind}: done")
    finally:
        print(f"{kind}: cleaned up")


if __name__ == "__main__":
    threading.Thread(target=work, args=("a thread", 0.1)).start()
    threading.Thread(target=work, args=("a daemon", 3600), daemon=True).start()
    ThreadPoolExecutor().submit(work, "a pool's thread", 0.3)
    print("the main thread ends")
    main_has_ended.set()
