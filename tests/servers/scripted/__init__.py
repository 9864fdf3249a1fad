"""Servers written for single tests."""
