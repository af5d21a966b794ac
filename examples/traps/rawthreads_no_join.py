"""At the end of a program Python waits for a `threading.Thread`, and not for a raw thread."""

import subprocess
import sys

WORK = """
import _thread, threading, time

def work():
    time.sleep(0.2)
    print("the thread has ended")

{start}
print("main has ended")
"""
STARTS = ["threading.Thread(target=work).start()", "_thread.start_new_thread(work, ())"]

if __name__ == "__main__":
    for start in STARTS:
        print(start)
        program = [sys.executable, "-c", WORK.format(start=start)]
        done = subprocess.run(program, capture_output=True, text=True, check=True)
        print(*(f"    {line}" for line in done.stdout.splitlines()), sep="\n")
