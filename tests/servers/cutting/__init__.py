"""A TCP proxy that does to connections what networks do to them."""

from tests.servers.cutting.proxy import Cutting, Fate, Weather, fair, stormy

__all__ = ["Cutting", "Fate", "Weather", "fair", "stormy"]
