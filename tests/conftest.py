"""How much Hypothesis tries: a little by default, much with ``--hypothesis-profile=long``."""

from hypothesis import HealthCheck, settings

settings.register_profile("default", deadline=None, max_examples=100, derandomize=True)
settings.register_profile(
    "long", deadline=None, max_examples=5_000, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
settings.load_profile("default")
