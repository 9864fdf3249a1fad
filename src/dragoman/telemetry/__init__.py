"""Observers of a runner's calls and of a client's requests: into a log, into a file of JSON lines, into OpenTelemetry.

What was said, arguments, params and results, is left out unless it is asked for, and then without what looks like a secret.

    logs  one line at each end of a call or request   jsonl  one JSON object for each   otel  spans and metrics
"""

from dragoman.telemetry.jsonl import JsonlObserver
from dragoman.telemetry.logs import LogObserver
from dragoman.telemetry.otel import OpenTelemetryObserver

__all__ = ["JsonlObserver", "LogObserver", "OpenTelemetryObserver"]
