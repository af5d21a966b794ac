"""An event loop of asyncio in a thread beside the main loop, for a library that is async. One call leads each way."""

import asyncio
import queue
import threading
from concurrent.futures import Future

from gui_loop import main_loop

done: queue.SimpleQueue[Future[str]] = queue.SimpleQueue()


async def fetch(number: int) -> str:
    await asyncio.sleep(0.1)  # a request
    return f"page {number}"


def clicked() -> None:
    for number in range(3):
        future = asyncio.run_coroutine_threadsafe(fetch(number), loop)
        future.add_done_callback(done.put)  # called in the loop's thread, so it only puts
    look(3)


def look(missing: int) -> None:
    """In the main loop."""
    while not done.empty():
        print(done.get().result())
        missing -= 1
    if missing:
        window.after(50, look, missing)
    else:
        window.quit()


with asyncio.Runner() as runner:
    loop = runner.get_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    window = main_loop()
    window.after(100, clicked)
    window.mainloop()
    loop.call_soon_threadsafe(loop.stop)  # before the runner closes it
    thread.join()
