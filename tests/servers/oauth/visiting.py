"""A program that visits a protected server, with what is stored for it: `visiting.py URL FOLDER [how many at once]`."""

import sys
from concurrent.futures import ThreadPoolExecutor
from time import time

from dragoman.auth.consent import OAuth
from dragoman.auth.flow import WayAuthorizer
from dragoman.deadline import Deadline
from dragoman.local.stores import FileStore
from dragoman.sync.authorized import Authorized
from dragoman.sync.engines import HttpReply, HttpRequest, engine_for
from dragoman.sync.login import Login
from dragoman.web.options import HttpOptions


def main(url: str, folder: str, how_many: str = "1") -> None:
    way = OAuth(interactive=False)
    engine = engine_for(HttpOptions(proxy=False))
    authorized = Authorized(WayAuthorizer(url, way), Login(engine, way, "the server", FileStore(folder)))

    def visit(_: int) -> int:
        deadline = Deadline(30)

        def send(headers: dict[str, str]) -> HttpReply:
            return engine.send(HttpRequest("POST", url, tuple(headers.items()), b"{}"), deadline)

        reply = authorized.send("POST", url, deadline, send)
        reply.read(10_000, deadline)
        return reply.status

    print(f"ready at {time()}", flush=True)
    sys.stdin.readline()
    with ThreadPoolExecutor(int(how_many)) as pool:
        print(*sorted(set(pool.map(visit, range(int(how_many))))), flush=True)
    engine.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
