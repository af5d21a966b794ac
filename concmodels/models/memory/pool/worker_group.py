"""The group of a pool's workers."""

from concmodels.models.memory.arena import BROKEN, LIVE, OWNER, PARENT
from concmodels.models.memory.group import TaskGroup


class WorkerGroup(TaskGroup):
    """The workers of a pool: a group beside the body of the `with`, which one of them can leave without the others.

    Cancelling a scope around the pool cancels the workers too; a worker that fails cancels no other task.
    """

    expendable = True

    def open(self, owner: int) -> None:
        """Make the record; the workers notify its owner, and so does the supervisor when one of them has ended."""
        participant, words = self.participant, self.participant.words
        with participant.arena.claim:
            self.at = self._at = participant.arena.new_record()
        words[self.at + OWNER], words[self.at + PARENT] = owner, participant.wait_slot().scope
        self._open = True

    def any_left(self) -> bool:
        """Return whether a worker has not ended."""
        return bool(self.participant.words[self.at + LIVE]) and not self.participant.words[BROKEN]

    def free_records(self, owner: int) -> None:
        """Give the records back, the owner's too, once all workers have ended.

        A worker may still be about to notify the owner; that wakes the next user of its record once for nothing.
        """
        self._open = False
        if not self.participant.words[BROKEN] and not self.any_left():
            with self.participant.arena.claim, self.records:
                for task in self._tasks:
                    self._forget(task)
                self.participant.arena.free_record(self.at)
                self.participant.arena.free_record(owner)
