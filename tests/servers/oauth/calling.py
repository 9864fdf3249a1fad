"""A program that calls a tool of an MCP server, with what is stored for it: `calling.py URL FOLDER [how many at once]`."""

import sys
from concurrent.futures import ThreadPoolExecutor

from dragoman import Client, FileStore, OAuth


def main(url: str, folder: str, how_many: str = "1") -> None:
    auth = OAuth(interactive=False, store=FileStore(folder))
    with Client.connect(url, auth=auth, proxy=False) as client, ThreadPoolExecutor(int(how_many)) as pool:
        print("ready", flush=True)
        sys.stdin.readline()
        said = pool.map(lambda _: client.call_tool("echo").text, range(int(how_many)))
        print(*sorted(set(said)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
