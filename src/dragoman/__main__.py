"""`python -m dragoman` is the same as `dragoman`."""

import sys

from dragoman.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    sys.exit(main())
