"""`explore` and `replay`."""

import inspect
from collections.abc import Callable
from typing import Any

from concmodels.explore.diagnosis import noted
from concmodels.explore.errors import CannotExplore
from concmodels.explore.options import Options
from concmodels.explore.replay_id import ReplayId, checksum
from concmodels.explore.report import Report
from concmodels.explore.runs import Runs
from concmodels.explore.scenario import Scenario
from concmodels.explore.search import Search


def explore(main: Callable[..., Any] | Scenario, *args: Any, **options: Any) -> Report:
    return Search(main if isinstance(main,Scenario) else Scenario(main,args,main.__name__), Options(**options)).report()
