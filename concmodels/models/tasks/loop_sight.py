"""What main does on an event loop when Ctrl-C comes again, read from its coroutines."""

from concmodels.models.deadlocks.report import chain
from concmodels.models.tasks.interrupts import exceptions_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator
    from types import CodeType
    from typing import Any


class MainSight:
    """Looks at main. `exits` is the code that waits for a group, `interrupts` says what Ctrl-C is to main."""

    def __init__(
        self,
        coroutine: Callable[[], Any],
        exits: tuple[CodeType, ...],
        interrupts: tuple[type[BaseException], ...],
    ) -> None:
        self.interrupts = interrupts
        self._coroutine = coroutine
        self._exits = exits

    def handled(self) -> Iterator[BaseException]:
        """The exceptions that main is handling where it is suspended."""
        for coroutine in chain(self._coroutine()):
            yield from exceptions_in(coroutine)

    def leaving(self) -> Any:
        """The group whose end main waits for; None if there is none."""
        for coroutine in chain(self._coroutine()):
            frame = getattr(coroutine, "cr_frame", None)
            if frame is not None and frame.f_code in self._exits:
                return frame.f_locals["self"]
        return None

    def ending(self) -> Any:
        """The group whose end main waits for, if its tasks have been cancelled."""
        group = self.leaving()
        return group if group is not None and group.is_ending() else None

    def names(self) -> list[str]:
        """The names of the tasks that main waits for."""
        group = self.ending()
        names: list[str] = [] if group is None else group.names()
        return names


def cancel_again(main: asyncio.Task[Any]) -> None:
    """Cancel main for a Ctrl-C, after it has swallowed the cancellation for an earlier one: that counts no longer."""
    main.uncancel()
    main.cancel()
