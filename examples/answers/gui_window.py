"""A window with a button that starts work in a thread. Progress, the end and errors come back through a queue."""

import queue
import threading
import time
import tkinter

messages: queue.Queue[tuple[str, bool]] = queue.Queue()


def clicked() -> None:
    button["state"] = "disabled"  # until the work has ended
    threading.Thread(target=work, daemon=True).start()
    look()


def work() -> None:
    """In the thread: it touches no widget."""
    try:
        for percent in (20, 40, 60, 80, 100):
            time.sleep(0.2)  # a request, a query, a file
            messages.put((f"{percent} %", False))
        messages.put(("done", True))
    except Exception as error:  # noqa: BLE001 - whatever it is, the window says it
        messages.put((f"failed: {error}", True))


def look() -> None:
    """In the main loop: only this side touches widgets."""
    while not messages.empty():
        label["text"], ended = messages.get()
        if ended:
            button["state"] = "normal"
            return
    window.after(50, look)


window = tkinter.Tk()
window.title("Work in a thread")
label = tkinter.Label(window, text="Press the button", width=30)
button = tkinter.Button(window, text="Start", command=clicked)
label.pack(padx=20, pady=10)
button.pack(pady=10)
window.mainloop()
