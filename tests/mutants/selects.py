"""`select`, broken in one way each; the last few beyond a memory boundary."""

from concmodels.errors import ChannelClosed, Selected, WouldBlock
from concmodels.models.waiting.timeouts import expired
from mutants import every, mutant, replace
from mutants.channels import take_one_away


def receiving(cases):
    """The cases that receive."""
    return [case for case in cases if not isinstance(case, tuple)]


def does_two(model):
    """Have `select` do a second case that receives."""

    @replace(model, "select")
    def select(select, *cases, **how):
        chosen = select(*cases, **how)
        for case in receiving(cases):
            if case is not chosen.channel:
                take_one_away(case)
        return chosen


def reports_another(model):
    """Have `select` name another case that receives, now and then."""
    due = every(3)

    @replace(model, "select")
    def select(select, *cases, **how):
        chosen = select(*cases, **how)
        others = [case for case in receiving(cases) if case is not chosen.channel]
        if chosen.sent or chosen.closed or not others or not due():
            return chosen
        return Selected(others[0], chosen.item)


def sends_too(model):
    """Have `select` do the cases that send, whatever was chosen."""

    @replace(model, "select")
    def select(select, *cases, **how):
        chosen = select(*cases, **how)
        for case in cases:
            if isinstance(case, tuple) and case[0] is not chosen.channel:
                try:
                    case[0].send_nowait(case[1])
                except WouldBlock, ChannelClosed:
                    pass
        return chosen


@mutant("threads", "selecting.priority_takes_the_first")
def does_two_cases(model):
    """`select` does two cases."""
    does_two(model)


@mutant("asyncio", "selecting.select_sends_where_there_is_room")
def does_no_case(model):
    """`select` says that it has sent, and has not."""

    @replace(model, "select")
    async def select(select, *cases, **how):
        chosen = await select(*cases, **how)
        if chosen.sent:
            take_one_away(chosen.channel)
        return chosen


@mutant("greenlet", "selecting.priority_takes_the_first")
def ignores_priority(model):
    """`select` chooses by chance, also with `priority`."""

    @replace(model, "select")
    def select(select, *cases, timeout=None, priority=False):
        return select(*cases, timeout=timeout)


@mutant("trio", "competing.no_ready_case_starves", "selecting")
def always_takes_the_first(model):
    """`select` takes the first case that is ready."""

    @replace(model, "select")
    async def select(select, *cases, timeout=None, priority=False):
        return await select(*cases, timeout=timeout, priority=True)


@mutant("threads", "selecting.select_receives_what_is_there", "competing")
def reports_another_case(model):
    """`select` takes from one channel and reports another, now and then."""
    reports_another(model)


@mutant("threads", "selecting.a_timeout_that_is_not_needed_is_not_looked_at")
def looks_at_each_timeout_first(model):
    """`select` checks its timeout before it looks at its channels."""

    @replace(model, "select")
    def select(select, *cases, timeout=None, priority=False):
        expired(timeout)
        return select(*cases, timeout=timeout, priority=priority)


@mutant("asyncio", "selecting.select_with_timeout_0_never_waits")
def ignores_its_timeout(model):
    """`select` with a timeout waits for ever."""

    @replace(model, "select")
    async def select(select, *cases, timeout=None, priority=False):
        return await select(*cases, timeout=None if timeout else timeout, priority=priority)


@mutant("greenlet", "competing.selects_compete_on_both_sides", "selecting")
def sends_though_another_was_chosen(model):
    """`select` sends in every case that sends, although another was chosen."""
    sends_too(model)


@mutant("trio", "same_turn.an_item_after_the_cancellation", "competing")
def a_cancelled_select_takes_an_item(model):
    """A `select` that raises `Cancelled` has taken an item, if one has come just then."""

    @replace(model, "select")
    async def select(select, *cases, **how):
        try:
            return await select(*cases, **how)
        except model.Cancelled:
            for case in receiving(cases):
                take_one_away(case)
            raise


@mutant("threads", "competing.select_timeouts_race_senders", "selecting")
def a_timed_out_select_takes_an_item(model):
    """A `select` that times out takes what comes within the next millisecond."""

    @replace(model, "select")
    def select(select, *cases, **how):
        try:
            return select(*cases, **how)
        except TimeoutError:
            model.sleep(0.001)
            for case in receiving(cases):
                take_one_away(case)
            raise


@mutant("greenlet", "same_turn.an_item_in_the_turn_of_the_timeout")
def a_timeout_takes_what_comes_in_its_turn(model):
    """A `select` that times out has taken an item, if one has come just then."""

    @replace(model, "select")
    def select(select, *cases, **how):
        try:
            return select(*cases, **how)
        except TimeoutError:
            for case in receiving(cases):
                take_one_away(case)
            raise


@mutant("greenlet", "selecting.a_closed_channel_is_ready")
def hides_a_close(model):
    """`select` raises `ChannelClosed` where it should report it."""

    @replace(model, "select")
    def select(select, *cases, **how):
        chosen = select(*cases, **how)
        if chosen.closed:
            raise ChannelClosed
        return chosen


@mutant("threads", "selecting.two_selects_meet")
def spins(model):
    """`select` looks again and again instead of waiting."""

    @replace(model, "select")
    def select(select, *cases, timeout=None, priority=False):
        until = None if timeout is None else model.now() + timeout
        while True:
            try:
                return select(*cases, timeout=0, priority=priority)
            except TimeoutError:
                if until is not None and model.now() >= until:
                    raise
                model.sleep(0)


@mutant("trio", "selecting.a_select_never_meets_itself")
def meets_itself(model):
    """A `select` that sends to and receives from one rendezvous is its own partner."""

    @replace(model, "select")
    async def select(select, *cases, **how):
        for case in cases:
            if isinstance(case, tuple) and case[0].capacity == 0 and any(case[0] is other for other in cases):
                return Selected(case[0], case[1])
        return await select(*cases, **how)


@mutant("processes", "selecting.a_select_over_many_channels")
def does_two_cases_there(model):
    """`select` does two cases, beyond a memory boundary too."""
    does_two(model)


@mutant("subinterp", "selecting.priority_takes_the_first", "competing")
def reports_another_case_there(model):
    """`select` takes from one channel and reports another, beyond a memory boundary too."""
    reports_another(model)


@mutant("subinterp", "selecting.priority_takes_the_first")
def ignores_priority_there(model):
    """`select` chooses by chance, beyond a memory boundary too."""

    @replace(model, "select")
    def select(select, *cases, timeout=None, priority=False):
        return select(*cases, timeout=timeout)


@mutant("processes", "competing.crossing_selects_do_not_deadlock", "selecting")
def sends_though_another_was_chosen_there(model):
    """`select` sends in every case that sends, beyond a memory boundary too."""
    sends_too(model)
