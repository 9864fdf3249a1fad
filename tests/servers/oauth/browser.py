"""A browser for the variable BROWSER: it goes where it is sent, and follows where it is sent on."""

import sys
import urllib.error
import urllib.request

if __name__ == "__main__":
    try:
        with urllib.request.urlopen(sys.argv[1], timeout=20) as page:
            print(page.read().decode(), file=sys.stderr, flush=True)
    except urllib.error.HTTPError as error:
        sys.exit(f"{error.code}")
