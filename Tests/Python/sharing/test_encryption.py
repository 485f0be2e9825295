"""Only TLS from outside, with the certificate whose fingerprint was printed."""

import hashlib
import os
import re
import socket
import ssl
import warnings

import pytest

from inkstate.client import unchecked


def test_the_certificate_is_the_printed_one(shared):
    der = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate((shared.shared_host, shared.shared_port)))
    digest = hashlib.sha256(der).hexdigest().upper()
    assert ":".join(re.findall("..", digest)) == shared.fingerprint
    mode = os.stat(os.path.join(shared.folder, "sharing", "certificate.pem")).st_mode & 0o777
    assert mode == 0o600, "a certificate that only its owner reads"


def test_nothing_is_answered_without_encryption(shared):
    address = (shared.shared_host, shared.shared_port)
    with socket.create_connection(address, timeout=60) as plain:
        plain.sendall(f"GET /pair HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\n\r\n".encode())
        try:
            answer = plain.recv(4096)
        except ConnectionResetError:
            answer = b""
    assert b"HTTP" not in answer and b"html" not in answer


def test_old_encryption_is_refused(shared):
    old = unchecked()
    with warnings.catch_warnings():
        # Python warns that this version is old, which is what is tested.
        warnings.simplefilter("ignore", DeprecationWarning)
        old.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
        old.maximum_version = ssl.TLSVersion.TLSv1_1
    with socket.create_connection((shared.shared_host, shared.shared_port), timeout=60) as raw:
        with pytest.raises(OSError):
            old.wrap_socket(raw)


def test_plain_http_is_on_the_loopback_interface_alone(shared):
    if shared.shared_host == "127.0.0.1":
        pytest.skip("this machine has no network")
    with pytest.raises(OSError):
        socket.create_connection((shared.shared_host, shared.port), timeout=5).close()
