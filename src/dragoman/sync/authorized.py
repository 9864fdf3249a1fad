# generated from src/dragoman/aio/authorized.py by tools/unasync.py; do not edit
"""Send a request with its authorization, and again when a refusal could be dealt with."""

from __future__ import annotations

from collections.abc import Callable
from time import time

from dragoman.auth.flow import Authorization, Authorizer, Headers
from dragoman.deadline import Deadline
from dragoman.sync.engines import HttpReply
from dragoman.sync.login import Login

__all__ = ["Authorized"]

_LONGEST_REFUSAL = 64 * 1024


class Authorized:
    """The authorization of all requests to one server. Owned by the transport to that server."""

    def __init__(self, authorizer: Authorizer, login: Login) -> None:
        self._authorizer = authorizer
        self._login = login

    def send(self, method: str, url: str, deadline: Deadline, send: Callable[[Headers], HttpReply]) -> HttpReply:
        """Have a request sent with its authorization's headers; a reply of 401 or 403 is one that nothing helps against.

        `send` sends the request with these headers besides its own. It is called again with new ones when there is
        something better to show; the answer before that has been read then.

        Raises:
            AuthError: no authorization can be had, and it says why. And whatever `send` raises.
        """
        request = self._authorizer.begin(method, url, may_ask=deadline.is_attended)
        while True:
            reply = send(self._headers(request, deadline))
            if reply.headers.get("dpop-nonce") is not None:
                request.learn(tuple(reply.headers))
            if reply.status not in {401, 403} or not self._answered(request, reply, deadline):
                return reply
            reply.drain(_LONGEST_REFUSAL, deadline)

    def close(self) -> None:
        """End every wait for a user; what has a token goes on."""
        self._login.close()

    def end(self) -> None:
        """Close, and see to it that what was given is kept, within a bounded time."""
        self._login.end()

    def _headers(self, request: Authorization, deadline: Deadline) -> Headers:
        headers = request.headers(time())
        return headers if headers is not None else self._login.run(request.prepare(), deadline)

    def _answered(self, request: Authorization, reply: HttpReply, deadline: Deadline) -> bool:
        try:
            return self._login.run(request.answer(reply.status, tuple(reply.headers)), deadline)
        except BaseException:
            reply.close()
            raise
