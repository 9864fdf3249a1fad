"""`python -m dragoman.cli` is the same as `dragoman`."""

import sys

from dragoman.cli.entry import main

if __name__ == "__main__":
    sys.exit(main())
