"""trio runs in a subinterpreter, but its worker threads are daemons, and those are forbidden there."""

from concurrent import interpreters

PROGRAM = """
import trio

async def main():
    print("the loop:", "runs")
    try:
        await trio.to_thread.run_sync(len, "abc")
    except RuntimeError as error:
        print("to_thread: RuntimeError:", error)

trio.run(main)
"""

if __name__ == "__main__":
    interpreter = interpreters.create()
    interpreter.exec(PROGRAM)
    interpreter.close()
