"""Keys and signatures."""

import json
import sys
from base64 import urlsafe_b64decode

import pytest
from joserfc import jwk, jws, jwt

from dragoman.errors import UsageError
from dragoman.local.jose import make_key, sign


@pytest.mark.parametrize("algorithm", ["ES256", "ES384", "ES512", "RS256", "PS384"])
def test_signature_is_that_of_the_key(algorithm: str) -> None:
    private, public = make_key(algorithm)
    token = sign(private, {"typ": "dpop+jwt", "alg": algorithm, "jwk": public}, {"a": 1})

    registry = jws.JWSRegistry(algorithms=[algorithm])
    registry.max_header_length = 4096  # the key is in there
    decoded = jwt.decode(token, jwk.import_key(public), registry=registry)
    assert decoded.claims == {"a": 1}
    assert json.loads(urlsafe_b64decode(token.partition(".")[0] + "===")) == {
        "typ": "dpop+jwt",
        "alg": algorithm,
        "jwk": public,
    }
    assert "d" not in public


def test_pem_signs_as_well() -> None:
    private, public = make_key("ES256")
    pem = jwk.ECKey.import_key(json.loads(private)).as_pem(private=True).decode()

    token = sign(pem, {"alg": "ES256"}, {"a": 1})
    assert jwt.decode(token, jwk.import_key(public), algorithms=["ES256"]).claims == {"a": 1}


@pytest.mark.parametrize("key", ["planted", "{", '{"kty": "EC"}', "-----BEGIN PRIVATE KEY-----\nplanted\n"])
def test_key_that_is_none_is_told_and_not_shown(key: str) -> None:
    with pytest.raises(UsageError, match="the key cannot sign with ES256") as caught:
        sign(key, {"alg": "ES256"}, {})

    assert "planted" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_key_of_another_kind_is_told() -> None:
    with pytest.raises(UsageError, match="the key cannot sign with RS256"):
        sign(make_key("ES256")[0], {"alg": "RS256"}, {})


def test_unknown_algorithm_is_told() -> None:
    with pytest.raises(UsageError, match="'none' cannot be made"):
        make_key("none")


def test_library_that_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "joserfc.jwk", None)

    with pytest.raises(UsageError, match=r"pip install 'dragoman\[jose\]'"):
        make_key("ES256")
