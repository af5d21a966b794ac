"""Ctrl-C reaches the main interpreter only, which tells the others."""

from concurrent import interpreters


def worker(stop):
    stop.get()
    print("tidied up", flush=True)


def main():
    stop = interpreters.create_queue()
    interpreter = interpreters.create()
    thread = interpreter.call_in_thread(worker, stop)
    try:
        print("working", flush=True)
        thread.join()
    finally:
        stop.put(None)
        thread.join()
        interpreter.close()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("interrupted")
