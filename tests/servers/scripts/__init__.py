"""Servers that say what a test wrote for them: `puppet.py` is the program, `play.py` writes its script and reads its record."""
