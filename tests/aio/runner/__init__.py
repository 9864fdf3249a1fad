"""The tool runner."""
