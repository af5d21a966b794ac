"""A variant of a model is an object with the verbs of a model; the model without a variant is its module itself."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Model:
    """The verbs of one variant (`processes:spawn`), under the names that every model has."""

    def __init__(
        self,
        name: str,
        *,
        run: Callable[..., Any],
        select: Callable[..., Any],
        sleep: Callable[[float], Any],
        now: Callable[[], float],
        Channel: Any,
        TaskGroup: Any,
        find_pool: Callable[[], Any],
        share: Callable[[Any], Any],
        wait_readable: Callable[..., Any],
        wait_writable: Callable[..., Any],
        notify_closing: Callable[[Any], None],
        Cancelled: type[BaseException],
    ) -> None:
        self.name = name
        self.run = run
        self.select = select
        self.sleep = sleep
        self.now = now
        self.Channel = Channel
        self.TaskGroup = TaskGroup
        self._find_pool = find_pool
        self.share = share
        self.wait_readable = wait_readable
        self.wait_writable = wait_writable
        self.notify_closing = notify_closing
        self.Cancelled = Cancelled

    @property
    def Pool(self) -> Any:
        """The class of the variant's pools; imported when it is asked for, because children need not import it."""
        return self._find_pool()

    def __repr__(self) -> str:
        return f"<model {self.name}>"

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        """Pickle a model as its name: the other side loads its own."""
        from concmodels import load

        return load, (self.name,)
