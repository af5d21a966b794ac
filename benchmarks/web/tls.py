"""TLS for both sides of a measurement: a certificate that is made for it, and a socket that never waits.

Sessions are as the standard library makes them by default: TLS 1.3 where both sides have it.
"""

import contextlib
import ssl
import tempfile
from collections.abc import Buffer, Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"
DAYS = 2
"""So long a certificate is valid: from yesterday, for clocks that differ."""


class Socket(ssl.SSLSocket):
    """A TLS connection that raises `BlockingIOError` where it had to wait, as a socket without TLS does."""

    def recv(self, buflen: int = 1024, flags: int = 0) -> bytes:
        """Return what has come: all that is decrypted, because nobody is told of it by the kernel again."""
        try:
            data = super().recv(buflen, flags)
            while data and len(data) < buflen and self.pending():
                data += super().recv(buflen - len(data), flags)
        except ssl.SSLWantReadError, ssl.SSLWantWriteError:
            raise BlockingIOError("TLS has to wait") from None
        return data

    def send(self, data: Buffer, flags: int = 0) -> int:
        """Send some of the data; return how much."""
        try:
            return super().send(data, flags)
        except ssl.SSLWantReadError, ssl.SSLWantWriteError:
            raise BlockingIOError("TLS has to wait") from None


def of_server(certificate: str) -> ssl.SSLContext:
    """Return what a server needs that has this certificate, with its key in the same file."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    context.sslsocket_class = Socket
    return context


def of_client(certificate: str) -> ssl.SSLContext:
    """Return what a client needs that trusts this certificate, and no other."""
    context = ssl.create_default_context(cafile=certificate)
    context.sslsocket_class = Socket
    return context


@contextlib.contextmanager
def certificate() -> Iterator[str]:
    """Yield the path of a file with a new certificate for 127.0.0.1 and its key; it is removed at the end."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.pem"
        path.touch(mode=0o600)
        path.write_bytes(new_certificate())
        yield str(path)


def new_certificate() -> bytes:
    """Return a key and a certificate that it has signed itself, as PEM."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key: Any = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, HOST)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=DAYS - 1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(HOST))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    own: bytes = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain) + made.public_bytes(pem)
    return own
