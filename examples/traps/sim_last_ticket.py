"""Two tasks look whether a ticket is left, and then take it: on some schedules both look before one takes it."""

from concmodels import Channel, SimulatedModel, SyncModel, load
from concmodels.errors import WouldBlock


def main(model: SyncModel) -> None:
    tickets = model.Channel(1)
    tickets.send("the last one")
    with model.TaskGroup() as group:
        for _ in range(2):
            group.spawn(sell, tickets)


def sell(tickets: Channel[str]) -> None:
    if len(tickets):  # look ...
        tickets.receive_nowait()  # ... then act


def outcome(model: SimulatedModel, seed: int | None = None) -> str:
    try:
        model.run(main, model, seed=seed)
    except ExceptionGroup as group:
        assert group.subgroup(WouldBlock)
        return "sold twice"
    return "fine"


if __name__ == "__main__":
    model = load("sim")
    print("first come, first served:", outcome(model))
    wrong = [seed for seed in range(100) if outcome(model, seed=seed) != "fine"]
    print(f"{len(wrong)} of 100 seeds sell it twice, the first is {wrong[0]}")
    print(f"seed {wrong[0]}, ten times again:", {outcome(model, seed=wrong[0]) for _ in range(10)})
