"""For all tests: how much Hypothesis tries, and both ways in which a workspace opens files.

Hypothesis tries a little by default, much with ``--hypothesis-profile=long``.
"""

import pytest
from hypothesis import HealthCheck, settings

from labkit.toolsets.workspace import descent

settings.register_profile("default", deadline=None, max_examples=100, derandomize=True)
settings.register_profile(
    "long", deadline=None, max_examples=5_000, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
settings.load_profile("default")


@pytest.fixture(params=["descent", "resolving"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every test with this fixture opens files in both ways; the second is what Windows has."""
    if request.param == "descent" and not descent.SUPPORTED:
        pytest.skip("this platform can't open relative to a folder")
    monkeypatch.setattr(descent, "SUPPORTED", request.param == "descent")
    return str(request.param)
