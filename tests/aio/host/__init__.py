"""Tests of the host, against many child processes that play servers of both eras."""
