"""The cities that the demo's tools, resources and prompts know, and how far apart they are."""

from math import asin, cos, radians, sin, sqrt

__all__ = ["CITIES", "kilometres"]

CITIES = {
    "Aleppo": (36.2, 37.16),
    "Cairo": (30.04, 31.24),
    "Isfahan": (32.65, 51.67),
    "Istanbul": (41.01, 28.98),
    "Samarkand": (39.65, 66.96),
    "Venice": (45.44, 12.33),
}
"""Latitude and longitude in degrees."""


def kilometres(origin: str, destination: str) -> int:
    """Measure the great circle between two cities (haversine, on a sphere of 6,371 km)."""
    (north, east), (north_there, east_there) = CITIES[origin], CITIES[destination]
    height, width = radians(north_there - north) / 2, radians(east_there - east) / 2
    chord = sin(height) ** 2 + cos(radians(north)) * cos(radians(north_there)) * sin(width) ** 2
    return round(2 * 6371 * asin(sqrt(chord)))
