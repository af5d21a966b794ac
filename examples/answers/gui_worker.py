"""The same work in a worker thread. Its messages go through a queue, which the main loop looks into every 50 ms."""

import queue
import threading
import time

from gui_loop import main_loop

redrawn, working = 0, False
messages: queue.Queue[int | str] = queue.Queue()


def redraw() -> None:
    global redrawn
    redrawn += working
    window.after(20, redraw)


def clicked() -> None:
    global working
    working = True
    threading.Thread(target=work, daemon=True).start()
    look()


def work() -> None:
    """In the worker: it touches no widget."""
    for percent in (20, 40, 60, 80, 100):
        time.sleep(0.1)
        messages.put(percent)
    messages.put("done")


def look() -> None:
    """In the main loop: only this function touches widgets."""
    while not messages.empty():  # nobody else takes from it
        message = messages.get()
        if message == "done":
            print("redrawn meanwhile:", "often" if redrawn > 5 else f"{redrawn} times")
            window.quit()
            return
        print(f"{message} %")
    window.after(50, look)


window = main_loop()
window.after(0, redraw)
window.after(100, clicked)
window.mainloop()
