"""How servers are reached over HTTP: whom to trust, through which proxy, and how long connecting may take."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Literal, TypeAlias

from dragoman.errors import UsageError
from dragoman.web.proxies import check_proxy, redacted

__all__ = ["ClientCertificate", "EngineName", "HttpOptions"]

ClientCertificate: TypeAlias = (
    str | PathLike[str] | tuple[str | PathLike[str], str | PathLike[str] | None]
    | tuple[str | PathLike[str], str | PathLike[str] | None, str | None]
)  # fmt: skip
"""A PEM file with the certificate, or a tuple of it, of the key's file (None: the same) and of the key's password."""

EngineName: TypeAlias = Literal["default", "httpx"]


@dataclass(frozen=True, repr=False)
class HttpOptions:
    """How servers are reached over HTTP; clients with the same options share their connections.

    Attributes:
        verify: whether certificates are checked. False is for tests on your own machine, and is warned of once.
        ca_file: a PEM file of authorities trusted in addition to the system's and to SSL_CERT_FILE's.
        client_cert: what proves to servers who this program is.
        proxy: its URL, which may hold a user and password; None takes HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY
            from the environment, False none at all.
        connect_timeout: seconds that connecting, TLS included, may take within the call's own time; None has no limit
            but that.
        engine: "httpx" uses httpx2 in place of aiohttp or urllib3; it comes with the extra `httpx`.
        http2: whether HTTP/2 may be spoken, over TLS; with the engine "httpx" only. Requests at once have a connection
            each, as with HTTP/1.1, so that one that is given up costs no other.
        http_client: a client of your own (aiohttp.ClientSession, httpx2.AsyncClient; urllib3.PoolManager, httpx2.Client).
            It is used as it is, with its trust and its proxies, and never closed.

    Raises:
        UsageError: the options contradict each other.
    """

    verify: bool = True
    ca_file: str | PathLike[str] | None = None
    client_cert: ClientCertificate | None = None
    proxy: str | Literal[False] | None = None
    connect_timeout: float | None = None
    engine: EngineName = "default"
    http2: bool = False
    http_client: Any = None

    def __post_init__(self) -> None:
        if self.engine not in {"default", "httpx"}:
            raise UsageError(f"there is no engine {self.engine!r}", hint="write 'default' or 'httpx'")
        if self.proxy:
            check_proxy(self.proxy)
        if self.http_client is not None:
            self._check_own_client()
        elif self.http2 and self.engine != "httpx":
            raise UsageError("HTTP/2 needs another engine", hint="set engine='httpx'")

    def _check_own_client(self) -> None:
        changed = [name for name in _OF_A_CLIENT if getattr(self, name) != getattr(HttpOptions, name)]
        if changed:
            hint = "set it there, or leave http_client out"
            raise UsageError(f"{' and '.join(changed)} would have no effect on your own http_client", hint=hint)

    @property
    def certificate(self) -> tuple[str, str | None, str | None] | None:
        """The client certificate's file, the key's, and the key's password."""
        if self.client_cert is None:
            return None
        if isinstance(self.client_cert, str | PathLike):
            return fspath(self.client_cert), None, None
        file, key, *password = self.client_cert
        return fspath(file), None if key is None else fspath(key), password[0] if password else None

    def __repr__(self) -> str:
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        values["proxy"] = redacted(self.proxy) if self.proxy else self.proxy
        if self.certificate is not None:
            values["client_cert"] = self.certificate[0]
        changed = (f"{name}={value!r}" for name, value in values.items() if value != getattr(HttpOptions, name))
        return f"HttpOptions({', '.join(changed)})"


_OF_A_CLIENT = ("verify", "ca_file", "client_cert", "proxy", "http2")
