from rate_limiter import Limiter

UNIT = 0.02
SECONDS = 10 * UNIT


def most_in_a_window(times):
    times = sorted(times)
    return max(sum(1 for it in times if begin <= it < begin + SECONDS - UNIT / 2) for begin in times)


def passed(model, limiter, count, times):
    for _ in range(count):
        limiter.wait()
        times.append(model.now())


def must_keep_to(most, times, longest):
    found = most_in_a_window(times)
    assert found <= most, f"{found} pass within a window, and {most} are allowed"
    took = (max(times) - min(times)) / UNIT
    assert took <= longest, f"the last one passes after {took:.0f} units of time, and could after {longest - 4}"


def one_after_the_other(model):
    times = []
    passed(model, Limiter(model, 2, SECONDS), 5, times)
    must_keep_to(2, times, 24)


def after_a_pause(model):
    limiter, times = Limiter(model, 2, SECONDS), []
    passed(model, limiter, 1, times)
    model.sleep(9 * UNIT)
    passed(model, limiter, 3, times)
    must_keep_to(2, times, 23)
    limiter, times = Limiter(model, 2, SECONDS), []
    model.sleep(50 * UNIT)
    passed(model, limiter, 4, times)
    assert times[1] - times[0] < 3 * UNIT, "after a pause, two should pass at once"
    assert most_in_a_window(times) <= 2, "after a pause, more than two pass within a window"


def several_tasks(model):
    limiter, times = Limiter(model, 1, SECONDS), []
    with model.TaskGroup() as group:
        for _ in range(2):
            group.spawn(passed, model, limiter, 1, times)
    assert most_in_a_window(times) <= 1, "two tasks that ask at once both pass"
