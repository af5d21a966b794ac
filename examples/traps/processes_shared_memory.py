"""Another program looks at a block of shared memory and ends. It takes the block with it, unless `track=False`."""

import subprocess
import sys
from multiprocessing.shared_memory import SharedMemory

LOOK = "from multiprocessing.shared_memory import SharedMemory; SharedMemory(sys.argv[1]{}).close()"


def is_there(name: str) -> bool:
    try:
        SharedMemory(name, track=False).close()
    except FileNotFoundError:
        return False
    return True


def look(block: SharedMemory, how: str) -> None:
    program = [sys.executable, "-c", f"import sys; {LOOK.format(how)}", block.name]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    print(f"SharedMemory(name{how}) elsewhere; still there: {is_there(block.name)}")
    for line in done.stderr.splitlines():
        if "leaked" in line:
            print("    it said:", line.partition("resource_tracker: ")[2].partition(":")[0])


if __name__ == "__main__":
    block = SharedMemory(create=True, size=4096, track=False)
    look(block, ", track=False")
    look(block, "")
    block.close()
