"""Groups of processes and interpreters, and how these are started, each broken in one way."""

import os

from mutants import mutant, replace
from mutants.steps import (
    ARENA,
    CHILD_FINISH,
    CHILD_MODULE,
    EXPENDABLE,
    GROUP_TASK,
    LAUNCH,
    LIVE_TASKS,
    MUST_WAIT,
    PARENT,
    PARTICIPATES,
    PROCESS,
    SCOPE,
    SPAWNED,
    TASK_FAILURE,
    found,
)


@mutant("processes", "failures")
def does_not_cancel_siblings(model):
    """A failure in a child does not cancel its siblings."""
    word = getattr(found(ARENA), EXPENDABLE)

    @replace(found(CHILD_MODULE), CHILD_FINISH)
    def finish(finish, participant, record, *outcome):
        participant.words[record + word] = 1
        finish(participant, record, *outcome)


@mutant("subinterp", "failures")
def swallows_a_failure(model):
    """A task's exception cancels the others, and is lost."""

    @replace(found(GROUP_TASK), TASK_FAILURE)
    def failure(failure, self):
        failure(self)


@mutant("processes", "failures")
def drops_the_second_failure(model):
    """Of several exceptions one leaves."""

    @replace(model.TaskGroup, "__exit__")
    def leave(leave, self, *error):
        try:
            return leave(self, *error)
        except BaseExceptionGroup as group:
            raise group.derive(group.exceptions[:1]) from None


@mutant("subinterp", "tasks")
def gives_the_task_before(model):
    """`spawn` gives the handle of the task that was spawned before."""

    @replace(model.TaskGroup, "spawn")
    def spawn(spawn, self, function, *args, name=None):
        task = spawn(self, function, *args, name=name)
        before, self.before = getattr(self, "before", task), task
        return before


@mutant("subinterp", "tasks")
def leaves_before_the_last_task(model):
    """A group waits until one task is left."""
    live = getattr(found(ARENA), LIVE_TASKS)

    @replace(model.TaskGroup, MUST_WAIT)
    def must_wait(must_wait, self):
        words = getattr(self, PARTICIPATES).words
        return must_wait(self) and words[getattr(self, SCOPE) + live] != 1


@mutant("processes", "cancellation")
def cancel_does_not_reach_a_grandchild(model):
    """A group in a child does not hear that the child is cancelled."""
    parent = getattr(found(ARENA), PARENT)

    @replace(model.TaskGroup, "__enter__")
    def enter(enter, self):
        enter(self)
        participant = getattr(self, PARTICIPATES)
        if not participant.is_parent:
            participant.words[getattr(self, SCOPE) + parent] = 0
        return self


@mutant("processes:fork", "runs", "tasks")
def leaves_a_dead_process_behind(model):
    """A process that has ended is not collected."""

    @replace(found(PROCESS), "__init__")
    def init(init, self, at, name, popen, connection):
        init(self, at, name, popen, connection)
        popen.wait = lambda: 0


@mutant("processes:spawn", "runs")
def leaves_a_descriptor_behind(model):
    """Each start of a process leaves a descriptor open."""

    @replace(found(SPAWNED), LAUNCH)
    def launch(launch, self, process):
        launch(self, process)
        os.dup(2)
