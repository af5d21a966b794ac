"""What a test needs of the platform that only Linux has: `CONCMODELS_PLATFORM=portable` does without it."""

import pytest

from concmodels import platform

pages_go_back = pytest.mark.skipif(platform.PORTABLE, reason="the second version of the platform keeps all pages")
linux_files = pytest.mark.skipif(
    platform.PORTABLE, reason="the second version of the platform has no /proc, memfd or eventfd"
)
