"""Tests of what differs between the eras."""
