"""The commands about authorization: login, logout, auth."""

import getpass
import sys
from argparse import Namespace
from datetime import UTC, datetime
from time import time
from typing import TYPE_CHECKING, Any

from dragoman.cli.apart import apart
from dragoman.cli.configured import named_server
from dragoman.cli.failures import Exit
from dragoman.cli.given import text_of_file
from dragoman.cli.safe import one_line
from dragoman.cli.screen import Screen
from dragoman.errors import UsageError

if TYPE_CHECKING:
    from dragoman import Account, OAuth

__all__ = ["auth", "login", "logout"]

_NAME = "bold cyan"
_MINUTE = 60
_DAY = 24 * 60 * _MINUTE


def login(asked: Namespace, screen: Screen) -> Exit:
    """Have the user log in, whatever is stored already."""
    from dragoman import log_in

    server, way = named_server(asked, screen), _way(asked, screen)
    account = apart("login", lambda: log_in(server, way, **_reach(asked)))
    if screen.wants_json:
        screen.document(_document(account))
    else:
        screen.out.line("logged in at ", (one_line(account.issuer or ""), _NAME))
        _show_token(account, screen)
    return Exit.OK


def logout(asked: Namespace, screen: Screen) -> Exit:
    """Remove what is stored for a server."""
    from dragoman import log_out

    was_there = log_out(named_server(asked, screen), _as_whom(asked))
    if screen.wants_json:
        screen.document({"server": asked.server, "removed": was_there})
    else:
        screen.out.line("logged out of " if was_there else "nothing was stored for ", (one_line(asked.server), _NAME))
    return Exit.OK


def auth(asked: Namespace, screen: Screen) -> Exit:
    """Show what is stored for a server, and how discovery fares there; without a server, for which there is anything."""
    if asked.server is None:
        return _stored(screen)
    from dragoman import account_at

    server, way = named_server(asked, screen), _as_whom(asked)
    account = apart("auth", lambda: account_at(server, way, **_reach(asked)))
    if screen.wants_json:
        screen.document(_document(account))
    else:
        _show_stored(account, screen)
        _show_found(account, screen)
    return Exit.OK if account.is_reached else Exit.CONNECTION


def _stored(screen: Screen) -> Exit:
    from dragoman import FileStore

    store = FileStore()
    rows = [key.rpartition(" ") for key in store.keys()]  # noqa: SIM118 - a store is no mapping
    if screen.wants_json:
        screen.document({"servers": [{"server": url, "identity": identity} for identity, _, url in rows]})
    elif rows:
        screen.out.table(("server", "identity"), [((one_line(url), _NAME), one_line(name)) for name, _, url in rows])
    else:
        screen.note("Nothing is stored. `dragoman login URL` logs in at a server.")
    return Exit.OK


# ------------------------------------------------------------------------------------------------------------- options


def _as_whom(asked: Namespace) -> "OAuth | None":
    from dragoman import OAuth

    return None if asked.identity is None else OAuth(identity=asked.identity)


def _way(asked: Namespace, screen: Screen) -> "OAuth | None":
    """Give the way in that the options describe; None without any, so that a configuration may say it."""
    from dragoman import OAuth

    options: dict[str, Any] = {
        "identity": asked.identity,
        "headless": asked.headless,
        "client_id": asked.client_id,
        "client_secret": _secret(asked.client_secret, screen),
        "client_metadata_url": asked.client_metadata_url,
        "redirect_uri": asked.redirect_uri,
        "issuer": asked.issuer,
        "scope": asked.scope,
        "resource": asked.resource,
        "trusted_hosts": frozenset(asked.trust_host),
        "trusted_issuers": frozenset(asked.trust_issuer),
    }
    given = {name: value for name, value in options.items() if value}
    return OAuth(**given) if given else None


def _secret(source: str | None, screen: Screen) -> str | None:
    """Read a secret from a file or the input: on a command line it would be seen by everybody on this machine."""
    if source is None:
        return None
    if source == "-":
        if screen.can_ask:
            return getpass.getpass("client secret: ", stream=sys.stderr).strip()
        return "" if sys.stdin is None else sys.stdin.readline().strip()
    if not source.startswith("@"):
        raise UsageError("a secret on the command line can be seen by others", hint="write --client-secret - or @FILE")
    return text_of_file(source[1:]).strip()


def _reach(asked: Namespace) -> Any:
    options = {"timeout": asked.timeout, "ca_file": asked.ca_file}
    return {name: value for name, value in options.items() if value is not None}


# ------------------------------------------------------------------------------------------------------------- showing


def _show_stored(account: "Account", screen: Screen) -> None:
    screen.out.line((one_line(account.url), _NAME))
    if account.issuer is None:
        screen.out.line(("stored:     ", "bold"), "nothing")
        return
    whom = f", given to {one_line(account.client_id)}" if account.client_id else ""
    screen.out.line(("stored:     ", "bold"), f"{_kind(account)} of {one_line(account.issuer)}{whom}")
    _show_token(account, screen)


def _kind(account: "Account") -> str:
    if not account.has_token:
        return "no token, but a registration,"
    return "a token bound to a key" if account.is_bound else "a token"


def _show_token(account: "Account", screen: Screen) -> None:
    if account.scopes:
        screen.out.line(("scopes:     ", "bold"), one_line(" ".join(account.scopes)))
    if account.has_token:
        renewal = "renewed without asking" if account.can_renew else "then you have to log in again"
        screen.out.line(("token:      ", "bold"), f"{_end(account.expires_at)}, {renewal}")


def _end(expires_at: float | None) -> str:
    if expires_at is None:
        return "nobody says when it ends"
    left = expires_at - time()
    when = datetime.fromtimestamp(expires_at, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
    if left <= 0:
        return f"ended {when}"
    return f"ends {when}, in {_span(left)}"


def _span(seconds: float) -> str:
    if seconds < 2 * _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < 2 * _DAY:
        return f"{seconds / _MINUTE:.0f} min"
    return f"{seconds / _DAY:.0f} days"


def _show_found(account: "Account", screen: Screen) -> None:
    out = screen.out
    silent = "nothing, without a token" if account.is_reached else "it does not answer"
    out.line(("asks for:   ", "bold"), one_line(account.challenge or silent))
    out.line(("discovery:", "bold"))
    for rung in account.trail:
        out.line(f"  {one_line(rung.url)}  ", (one_line(rung.outcome), "green" if rung.outcome == "found" else "dim"))
    if account.found is not None:
        out.line(("tokens by:  ", "bold"), one_line(account.found))
    if account.problem is not None:
        screen.warn(account.problem)
    if not account.has_token and account.found is not None:
        screen.note(f"To log in: dragoman login {one_line(account.url)}")


def _document(account: "Account") -> dict[str, Any]:
    return {
        "server": account.url,
        "identity": account.identity,
        "issuer": account.issuer,
        "clientId": account.client_id,
        "scopes": list(account.scopes),
        "hasToken": account.has_token,
        "expiresAt": account.expires_at,
        "canRenew": account.can_renew,
        "isBound": account.is_bound,
        "challenge": account.challenge,
        "isReached": account.is_reached,
        "trail": [{"url": rung.url, "outcome": rung.outcome} for rung in account.trail],
        "found": account.found,
        "problem": account.problem,
    }
