"""Make keys and sign with them, by joserfc: the extra `jose`."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

from dragoman.errors import UsageError

__all__ = ["make_key", "sign"]

_KINDS: dict[str, tuple[Any, str | int]] = {
    "ES256": ("EC", "P-256"),
    "ES384": ("EC", "P-384"),
    "ES512": ("EC", "P-521"),
    "EdDSA": ("OKP", "Ed25519"),
    "Ed25519": ("OKP", "Ed25519"),
    **{f"{family}{size}": ("RSA", 2048) for family in ("RS", "PS") for size in (256, 384, 512)},
}


def make_key(algorithm: str) -> tuple[str, dict[str, Any]]:
    """Make a key pair: the private half as the JSON of a JWK, the public one as a JWK.

    Raises:
        UsageError: joserfc is not installed, or the algorithm is not known.
    """
    jwk = _joserfc("jwk")
    key = jwk.generate_key(*_kind(algorithm))
    return json.dumps(key.as_dict(private=True)), key.as_dict(private=False)


def sign(key: str, header: dict[str, Any], claims: dict[str, Any]) -> str:
    """Sign claims with a private key, a JWK in JSON or PEM, as the header's `alg` says; gives a compact JWT.

    Raises:
        UsageError: joserfc is not installed, or the key is none for that algorithm. The key is not shown.
    """
    jwk, jwt = _joserfc("jwk"), _joserfc("jwt")
    algorithm = header["alg"]
    kind = _kind(algorithm)[0]
    try:
        loaded = jwk.import_key(json.loads(key) if key.lstrip().startswith("{") else key, kind)
        encoded: str = jwt.encode(header, claims, loaded, algorithms=[algorithm])
    except (ValueError, TypeError, _joserfc("errors").JoseError) as error:
        # Not as its cause: such an error may quote what it could not read.
        hint = "give a private key as PEM, or as a JWK in JSON"
        raise UsageError(f"the key cannot sign with {algorithm} ({type(error).__name__})", hint=hint) from None
    return encoded


def _kind(algorithm: str) -> tuple[Any, str | int]:
    if algorithm not in _KINDS:
        raise UsageError(f"signatures with {algorithm!r} cannot be made", hint=f"there are {', '.join(_KINDS)}")
    return _KINDS[algorithm]


def _joserfc(name: str) -> ModuleType:
    from importlib import import_module

    try:
        return import_module(f"joserfc.{name}")
    except ImportError:
        raise UsageError("signatures cannot be made", hint="pip install 'dragoman[jose]'") from None
