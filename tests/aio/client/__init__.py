"""Tests of the client, against child processes that play servers of both eras."""
