"""What holds for every test."""

from hypothesis import settings

# A slow machine is no finding; pytest-timeout bounds the whole test.
settings.register_profile("dragoman", deadline=None)
settings.load_profile("dragoman")
