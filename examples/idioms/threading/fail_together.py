"""A thread that fails sets an event, for which the others have to look."""

from threading import Event, Thread


def patient(failed):
    failed.wait(60)
    print("tidied up")


def clumsy(failed, errors):
    try:
        raise OSError("disk full")
    except (
        OSError
    ) as error:  # a thread has no caller to raise it in
        errors.append(error)
        failed.set()


def main():
    failed, errors = Event(), []
    threads = [
        Thread(target=patient, args=(failed,)),
        Thread(target=clumsy, args=(failed, errors)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("failed:", errors[0])


if __name__ == "__main__":
    main()
