"""A greenlet that was killed counts as successful: gevent turns `GreenletExit` into a result."""

import gevent


def work() -> None:
    gevent.sleep(60)


if __name__ == "__main__":
    unit = gevent.spawn(work)
    gevent.sleep(0)  # let it begin
    unit.kill()
    print("successful:", unit.successful())
    print("its result:", repr(unit.get()))
