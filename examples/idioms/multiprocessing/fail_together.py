"""An event shared by the processes; `terminate` would be quicker, and would leave nothing time to tidy up."""

from multiprocessing import Event, Process, Queue


def patient(failed):
    failed.wait(60)
    print("tidied up")


def clumsy(failed, errors):
    try:
        raise OSError("disk full")
    except OSError as error:
        errors.put(error)
        failed.set()


def main():
    failed, errors = Event(), Queue()
    processes = [
        Process(target=patient, args=(failed,)),
        Process(target=clumsy, args=(failed, errors)),
    ]
    for process in processes:
        process.start()
    error = errors.get()
    for process in processes:
        process.join()
    print("failed:", error)


if __name__ == "__main__":
    main()
