"""Programs whose types mypy checks do what their types say."""

import revealed_types


def test_sync():
    revealed_types.threads.run(revealed_types.sync)


def test_async():
    revealed_types.trio.run(revealed_types.awaited)


def test_options_of_run():
    revealed_types.of_models()
    assert revealed_types.unknown("threads") == 4
    assert revealed_types.unknown_and_async("asyncio") == 1


def test_selected_takes_a_type():
    """As an annotation does, but it is still one class, and importing it imports no `typing`."""
    from concmodels import Selected

    assert Selected[int] is Selected
