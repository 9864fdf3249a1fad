"""Observers of tool calls: into a log, into a file of JSON lines, into OpenTelemetry.

What was said, arguments and results, is left out unless it is asked for, and then without what looks like a secret.

    logs   one line at each end of a call        jsonl   one JSON object a call        otel   spans and metrics
"""

from dragoman.telemetry.jsonl import JsonlObserver
from dragoman.telemetry.logs import LogObserver
from dragoman.telemetry.otel import OpenTelemetryObserver

__all__ = ["JsonlObserver", "LogObserver", "OpenTelemetryObserver"]
