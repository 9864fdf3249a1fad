"""What went wrong on the way to a server, as an error that names the host and the setting to change."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator
from typing import Literal

from dragoman.errors import ConnectFailed, ConnectionClosed, ConnectionLost, McpTimeout, ProtocolError
from dragoman.web.messages import HttpRequest
from dragoman.web.proxies import Proxy

__all__ = [
    "connect_failed",
    "connection_closed",
    "connection_lost",
    "is_turned_away",
    "not_http",
    "over_limit",
    "root_of",
    "timed_out",
]

Phase = Literal["connecting", "writing", "waiting"]

_PROXY_HINT = "check the option `proxy`, or HTTP_PROXY, HTTPS_PROXY and NO_PROXY"
_ALERT = re.compile(r"ALERT_(?:\w*CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE)|ALERT_CERTIFICATE")
_REFUSED = re.compile(r"(?<![\w.:])(4\d\d|5\d\d) ?(?:[A-Z]|$)")


def root_of(error: BaseException) -> Iterator[BaseException]:
    """List an error and everything that caused it, the nearest first, however the library has wrapped it."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        each = waiting.pop(0)
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        wrapped = [part for part in (*each.args, getattr(each, "reason", None)) if isinstance(part, BaseException)]
        grouped = each.exceptions if isinstance(each, BaseExceptionGroup) else ()
        waiting += [cause for cause in (*wrapped, *grouped, each.__cause__, each.__context__) if cause is not None]


def connect_failed(
    request: HttpRequest, error: BaseException, proxy: Proxy | None, *, is_proxys: bool = False
) -> ConnectFailed:
    """Say why there is no connection, whether to the server or, if `is_proxys`, to the proxy before it."""
    where = str(request.origin)
    what, hint = _reason(error)
    hint = _hint_on_zones(request.origin.host) or hint
    if hint is None and what.endswith("closed at once") and request.origin.scheme == "https":
        # A server that minds who asks may say so in an alert that its own close overtakes.
        hint = "does the server ask for `client_cert`?"
    # Without TLS no other connection is made than to the proxy.
    if proxy is not None and (is_proxys or request.origin.scheme == "http"):
        where = f"the proxy {proxy.url}"
        what, hint = _proxys_reason(error, what, hint)
    failed = ConnectFailed(f"no connection to {where}: {what}", was_sent=False, hint=hint)
    failed.__cause__ = error
    return failed


def _hint_on_zones(host: str) -> str | None:
    """Say what an address needs, or has, that is good on one network alone (RFC 4007, section 11)."""
    if not host.startswith("fe80:") and "%" not in host:
        return None
    _, _, zone = host.partition("%")
    if not zone:
        return "name the interface as well, as in http://[fe80::1%25eth0]/mcp"
    return f"is {zone!r} an interface of this machine, and the server reached by it?"


def is_turned_away(error: BaseException) -> bool:
    """Whether the server has refused to speak TLS with this end, mostly for its certificate, and so has read nothing.

    From TLS 1.3 on it may say so after the request has been written (RFC 8446, section 4.4.2.4).
    """
    # aiohttp has a class of its own below this one, without a reason.
    reasons = (getattr(each, "reason", None) for each in root_of(error) if isinstance(each, ssl.SSLError))
    return any(_ALERT.search(reason) for reason in reasons if reason)


def _proxys_reason(error: BaseException, what: str, hint: str | None) -> tuple[str, str | None]:
    chain = list(root_of(error))
    if any(isinstance(each, ssl.SSLError) for each in chain):
        return what, hint
    status = next((code for each in chain if (code := _status(each)) is not None), None)
    if status == 407:
        return "it wants to know who you are (407)", "give the proxy's user and password in `proxy`"
    return what if status is None else f"it answered {status}", _PROXY_HINT


def _status(error: BaseException) -> int | None:
    """Find the status by which a proxy has refused to make a tunnel: one library has it as a number, others in words."""
    status = getattr(error, "status", None)
    if isinstance(status, int):
        return status
    found = _REFUSED.search(str(error))
    return None if found is None else int(found[1])


def _reason(error: BaseException) -> tuple[str, str | None]:
    if is_turned_away(error):
        return "it does not accept this end's certificate, or that there is none", "see the option `client_cert`"
    chain = list(root_of(error))
    return _known_reason(chain) or _plain_reason(chain)


def _known_reason(chain: list[BaseException]) -> tuple[str, str | None] | None:
    for each in chain:
        # Neither has aiohttp's class what OpenSSL said.
        if isinstance(each, ssl.SSLCertVerificationError) and hasattr(each, "verify_message"):
            return _certificate(each)
        if isinstance(each, socket.gaierror):
            return "there is no host of this name", "check its spelling, the network, or whether a `proxy` is needed"
    for each in chain:
        if isinstance(each, ssl.SSLError):
            return (
                f"TLS failed ({_words(each)})",
                "does the server speak https there, and does it ask for `client_cert`?",
            )
        if isinstance(each, ConnectionRefusedError):
            return "it was refused", "is the server running, and is the port right?"
    return None


def _plain_reason(chain: list[BaseException]) -> tuple[str, str | None]:
    found = next((each for each in reversed(chain) if isinstance(each, OSError) and each.strerror), None)
    if found is None and any(isinstance(each, ConnectionResetError) for each in chain):
        return "it was ended at once", "is the port right, and is it for http or for https?"
    return _words(found or chain[0]), None


def _certificate(error: ssl.SSLCertVerificationError) -> tuple[str, str]:
    reason = error.verify_message or str(error)
    if "mismatch" in reason.lower() or "not valid for" in reason.lower():
        return f"its certificate is another host's ({reason})", "use the name that the certificate is for"
    hint = "give the authority's certificate as `ca_file`; verify=False trusts anybody"
    return f"its certificate is not trusted ({reason})", hint


def _words(error: BaseException) -> str:
    reason = getattr(error, "reason", None)
    text = reason.replace("_", " ").lower() if isinstance(reason, str) else getattr(error, "strerror", None)
    return str(text) if text else " ".join(str(error).split()) or type(error).__name__


def connection_lost(request: HttpRequest, error: BaseException | None, *, is_answering: bool) -> ConnectionLost:
    """Say that the connection broke after the request had gone, before or in the middle of its answer."""
    when = "in the middle of its answer" if is_answering else "before it answered"
    reasons = [each.strerror for each in root_of(error) if isinstance(each, OSError) and each.strerror] if error else []
    reason = f": {reasons[0]}" if reasons else ""
    lost = ConnectionLost(f"{request.origin} ended the connection {when}{reason}", was_sent=True)
    lost.was_heard = is_answering
    lost.__cause__ = error
    return lost


def connection_closed(request: HttpRequest) -> ConnectionClosed:
    """Say that this end has closed the connection."""
    return ConnectionClosed(f"the exchange with {request.origin} was closed here")


def timed_out(request: HttpRequest, waited: float, phase: Phase) -> McpTimeout:
    """Say that the time was up, and how far the request had got."""
    what = {
        "connecting": f"no connection to {request.origin}",
        "writing": f"{request.origin} did not take the request",
        "waiting": f"no answer from {request.origin}",
    }[phase]
    return McpTimeout(
        f"{what} in {waited:.3g} s",
        method=request.method,
        waited=waited,
        phase=phase,
        was_sent=phase != "connecting",
    )


def not_http(request: HttpRequest, error: BaseException) -> ProtocolError:
    """Say that what answers does not speak HTTP."""
    # Not the whole of what aiohttp says, which has the URL in it, and with that perhaps a secret.
    said = " ".join(str(getattr(error, "message", None) or error).split())
    broken = ProtocolError(f"what {request.origin} answers is not HTTP", excerpt=said[:200] or None)
    broken.__cause__ = error
    return broken


def over_limit(request: HttpRequest, limit: int) -> ProtocolError:
    """Say that a body is larger than may be."""
    hint = "raise `max_message_size`, in bytes, or ask for less"
    return ProtocolError(f"the answer of {request.origin} is over the limit of {limit:,} bytes", hint=hint)
