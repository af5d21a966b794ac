"""What a test that starts pytest gives it, so that it does not import the plugins of others, which hardly any needs.

Their imports take the processor as long as the rest of such a run, most of it Hypothesis's.
"""

NAMES = ("anyio", "hypothesispytest", "platformdirs")
XDIST = ("xdist", "xdist.looponfail")


def without(*names):
    """The options of pytest by which it leaves out the plugins of these names."""
    return tuple(part for name in names for part in ("-p", f"no:{name}"))


WITHOUT = without(*NAMES, *XDIST)
BUT_XDIST = without(*NAMES)
