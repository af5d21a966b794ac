"""eventlet asks not to be used for new programs, when it is imported."""

import textwrap
import warnings

if __name__ == "__main__":
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        import eventlet

    for warning in caught:
        print(f"{warning.category.__name__}:")
        print(textwrap.fill(" ".join(str(warning.message).split()), 80))
    print("imported:", eventlet.__name__)
