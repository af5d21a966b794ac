"""An exception does not leave its interpreter: what arrives is another one, with the text of the first."""

import json
from concurrent import interpreters

from concmodels import SyncModel, load


def in_a_model(model: SyncModel) -> None:
    with model.TaskGroup() as group:
        group.spawn(json.loads, "{")


def main() -> None:
    other = interpreters.create()
    try:
        other.call(json.loads, "{")
    except json.JSONDecodeError:
        print("the same exception")
    except interpreters.ExecutionFailed as error:
        print("ExecutionFailed instead of", error.excinfo.type.__name__)
    other.close()
    model = load("subinterp")
    try:
        model.run(in_a_model, model)
    except* json.JSONDecodeError as group:
        print("from a task of the model:", repr(group.exceptions[0]))


if __name__ == "__main__":
    main()
