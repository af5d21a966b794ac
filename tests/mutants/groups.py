"""Groups whose tasks share one memory, each broken in one way."""

from mutants import mutant, replace
from mutants.steps import ENDED, FAILED, LEAVING, NATIVE, TASK, found


@mutant("threads", "failures.the_first_failure_cancels_the_body")
def does_not_cancel_siblings(model):
    """A failure does not cancel the siblings."""

    @replace(model.TaskGroup, FAILED)
    def failed(failed, self, error):
        self.cancel = bool  # anything that does nothing
        try:
            failed(self, error)
        finally:
            del self.cancel


@mutant("threads", "failures.an_error_keeps_its_type")
def swallows_a_failure(model):
    """A task's exception is lost, for its group."""

    @replace(model.TaskGroup, ENDED)
    def ended(ended, self, task, error):
        ended(self, task, None if isinstance(error, Exception) else error)


@mutant("asyncio", "tasks.result_returns_what_the_task_returned")
def leaves_before_the_last_task(model):
    """A group of several tasks waits for all but one."""

    @replace(model.TaskGroup, "__aexit__")
    async def leave(leave, self, *error):
        tasks = getattr(self, NATIVE)._tasks
        if len(tasks) > 1:
            tasks.pop()
        return await leave(self, *error)


@mutant("trio", "failures.everything_that_failed_leaves")
def drops_the_second_failure(model):
    """Of several exceptions one leaves."""

    @replace(model.TaskGroup, "__aexit__")
    async def leave(leave, self, *error):
        try:
            return await leave(self, *error)
        except BaseExceptionGroup as group:
            raise group.derive(group.exceptions[:1]) from None


@mutant("trio", "cancellation.a_cancelled_task_stops_where_it_waits")
def cancel_does_not_reach_a_grandchild(model):
    """The tasks of a nested group are not cancelled with the group around it."""

    @replace(model.TaskGroup, "__aenter__")
    async def enter(enter, self):
        await enter(self)
        getattr(self, NATIVE).cancel_scope.shield = True
        return self


@mutant("greenlet", "failures.an_error_of_the_body_leaves_too")
def loses_the_failure_of_the_body(model):
    """An exception of the body cancels the tasks, and is lost."""

    @replace(model.TaskGroup, "__exit__")
    def leave(leave, self, kind, error, trace):
        if not isinstance(error, Exception):
            return leave(self, kind, error, trace)
        self.cancel()
        leave(self, None, None, None)
        return True


@mutant("threads", "tasks.spawn_needs_an_open_group")
def spawns_after_the_end(model):
    """A group that has ended takes a task."""

    @replace(model.TaskGroup, "spawn")
    def spawn(spawn, self, function, *args, name=None):
        try:
            return spawn(self, function, *args, name=name)
        except RuntimeError:
            with model.TaskGroup() as other:
                return spawn(other, function, *args, name=name)


@mutant("asyncio", "tasks.tasks_have_names")
def gives_the_task_before(model):
    """`spawn` gives the handle of the task that was spawned before."""

    @replace(model.TaskGroup, "spawn")
    def spawn(spawn, self, function, *args, name=None):
        task = spawn(self, function, *args, name=name)
        before, self.before = getattr(self, "before", task), task
        return before


@mutant("threads", "cancellation.cancelling_one_leaves_the_others_alone")
def a_cancelled_task_cancels_its_siblings(model):
    """A task that is cancelled alone takes its siblings along."""

    @replace(model.TaskGroup, ENDED)
    def ended(ended, self, task, error):
        if isinstance(error, model.Cancelled):
            self.cancel()
        ended(self, task, error)


@mutant("threads", "tasks.done_tells_whether_a_task_has_ended")
def done_too_early(model):
    """A task is done as soon as it is spawned."""
    found(TASK).done = lambda self: True


@mutant("greenlet", "failures.an_exit_in_a_task_leaves_bare")
def wraps_an_interrupt(model):
    """`KeyboardInterrupt` leaves inside of an exception group."""

    @replace(model.TaskGroup, "__exit__")
    def leave(leave, self, *error):
        try:
            return leave(self, *error)
        except KeyboardInterrupt as interrupt:
            raise BaseExceptionGroup("a task group failed", [interrupt]) from None


@mutant("greenlet", "cancellation.leaving_a_group_is_a_checkpoint")
def leaving_is_no_checkpoint(model):
    """A cancelled task leaves a group as if nothing were."""

    @replace(model.TaskGroup, LEAVING)
    def checkpoint(checkpoint, self):
        pass
