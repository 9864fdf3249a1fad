"""Whom to trust: TLS contexts, one for each set of options and process, and none before it is needed."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import ssl
import sys
from collections.abc import Iterable
from functools import lru_cache
from os import fspath
from pathlib import Path

from dragoman.errors import ConfigError
from dragoman.web.options import HttpOptions

__all__ = ["context_for", "forget_contexts"]

log = logging.getLogger("dragoman.web")


def context_for(options: HttpOptions) -> ssl.SSLContext:
    """Return the TLS context for some options; the first of each takes 30 ms to build.

    Raises:
        ConfigError: a file of certificates, or of a key, cannot be used; it is named.
    """
    environment = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    return _context(
        options.verify,
        None if options.ca_file is None else fspath(options.ca_file),
        options.certificate,
        environment,
        options.http2,
    )


def forget_contexts() -> None:
    """Build contexts anew, for example when the system's own trust has changed; connections that are open stay."""
    _context.cache_clear()


@lru_cache(maxsize=64)
def _context(
    verify: bool,
    ca_file: str | None,
    certificate: tuple[str, str | None, str | None] | None,
    environment: tuple[str | None, str | None],
    http2: bool,
) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(["h2", "http/1.1"] if http2 else ["http/1.1"])
    if verify:
        _trust_system(context, environment)
        if ca_file is not None:
            _trust_file(context, ca_file, "ca_file")
    else:
        _trust_anybody(context)
    if certificate is not None:
        _prove(context, certificate)
    return context


def _trust_anybody(context: ssl.SSLContext) -> None:
    log.warning("certificates are not checked (verify=False): anybody on the way can read and change what is said")
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE


def _trust_system(context: ssl.SSLContext, environment: tuple[str | None, str | None]) -> None:
    # OpenSSL takes SSL_CERT_FILE and SSL_CERT_DIR in place of the system's own. Here they come on top of it: who adds
    # a company's authority does not mean to lose everybody else's.
    paths = ssl.get_default_verify_paths()
    if sys.platform == "win32":
        context.load_default_certs()
    _trust_places(context, [paths.openssl_cafile], [paths.openssl_capath])
    if not context.cert_store_stats()["x509"] and not _has_files(paths.openssl_capath):
        _trust_bundled(context)
    file, folder = environment
    if file:
        _trust_file(context, file, "SSL_CERT_FILE")
    if folder:
        _trust_places(context, [], folder.split(os.pathsep))


def _trust_places(context: ssl.SSLContext, files: Iterable[str], folders: Iterable[str]) -> None:
    for file in files:
        if Path(file).is_file():
            with contextlib.suppress(ssl.SSLError):  # an empty bundle is the system's own affair
                context.load_verify_locations(cafile=file)
    for folder in folders:
        if Path(folder).is_dir():
            context.load_verify_locations(capath=folder)


def _has_files(folder: str) -> bool:
    return Path(folder).is_dir() and any(Path(folder).iterdir())


def _trust_bundled(context: ssl.SSLContext) -> None:
    """Trust the authorities of certifi, if it is installed, where Python does not know where the system's are."""
    if importlib.util.find_spec("certifi") is not None:
        import certifi

        context.load_verify_locations(cafile=certifi.where())


def _trust_file(context: ssl.SSLContext, file: str, setting: str) -> None:
    try:
        context.load_verify_locations(cafile=file)
    except OSError as error:
        reason = error.strerror if not isinstance(error, ssl.SSLError) else "it holds no certificate in PEM form"
        raise ConfigError(f"{setting} cannot be used: {reason}", file=file, field=setting, hint=file) from error


def _prove(context: ssl.SSLContext, certificate: tuple[str, str | None, str | None]) -> None:
    file, key, password = certificate
    try:
        # A password is always given: without one OpenSSL asks on the terminal.
        context.load_cert_chain(file, key, password or "")
    except OSError as error:
        reason = "certificate and key do not fit, or the key's password is wrong or missing"
        reason = error.strerror or reason if not isinstance(error, ssl.SSLError) else reason
        message = f"client_cert cannot be used: {reason}"
        raise ConfigError(
            message, file=file, field="client_cert", hint=file if key is None else f"{file}, {key}"
        ) from error
