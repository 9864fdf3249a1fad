"""Servers on this machine: commands, environments, programs."""
