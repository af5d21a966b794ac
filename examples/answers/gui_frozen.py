"""A handler that works for half a second, and how often the window can be redrawn meanwhile."""

import time

from gui_loop import main_loop

redrawn, working = 0, False


def redraw() -> None:
    global redrawn
    redrawn += working
    window.after(20, redraw)


def clicked() -> None:
    global working
    working = True
    time.sleep(0.5)  # a request, a query, a computation
    working = False
    print("redrawn meanwhile:", redrawn, "times")
    window.quit()


window = main_loop()
window.after(0, redraw)
window.after(100, clicked)  # the user presses the button
window.mainloop()
