"""Certificates of an authority that only these tests know."""

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

__all__ = ["Authority"]


@dataclass(frozen=True)
class Authority:
    """An authority whose certificate and those it makes are files in a folder."""

    folder: Path
    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @classmethod
    def make(cls, folder: Path) -> "Authority":
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = _certificate("Tests' own authority", key, None, key, [])
        (folder / "authority.pem").write_bytes(_pem(certificate))
        return cls(folder, key, certificate)

    @property
    def file(self) -> str:
        return str(self.folder / "authority.pem")

    def issue(self, *names: str, password: bytes | None = None) -> tuple[str, str]:
        """Make a certificate for some names, and return its file and its key's."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = _certificate(names[0], key, self.certificate, self.key, list(names))
        file, key_file = (self.folder / f"{names[0]}.{kind}.pem" for kind in ("cert", "key"))
        file.write_bytes(_pem(certificate))
        locked: serialization.KeySerializationEncryption = (
            serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
        )
        form = serialization.PrivateFormat.PKCS8
        key_file.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, locked))
        return str(file), str(key_file)

    def server(self, *names: str, asks_for_client: bool = False) -> ssl.SSLContext:
        """Make the TLS context of a server of some names."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.issue(*names))
        if asks_for_client:
            context.load_verify_locations(self.file)
            context.verify_mode = ssl.CERT_REQUIRED
        return context


_SIGNS_CERTIFICATES = x509.KeyUsage(
    key_cert_sign=True,
    crl_sign=True,
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    encipher_only=False,
    decipher_only=False,
)
"""What an authority has to say of itself, for Python 3.13 and later to believe it."""


def _certificate(
    subject: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: x509.Certificate | None,
    issuer_key: ec.EllipticCurvePrivateKey,
    names: list[str],
) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)])
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer.subject if issuer else name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False)
    )
    if issuer is None:
        builder = builder.add_extension(_SIGNS_CERTIFICATES, critical=True)
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName([_name(each) for each in names]), critical=False)
    return builder.sign(issuer_key, hashes.SHA256())


def _name(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(text))
    except ValueError:
        return x509.DNSName(text)


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
