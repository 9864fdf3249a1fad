"""The ways in which messages travel."""
