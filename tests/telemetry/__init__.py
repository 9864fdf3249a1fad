"""Observers of tool calls."""
