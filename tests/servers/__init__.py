"""Servers for the tests: real ones that people use (`installed`), and scripted ones of our own."""
