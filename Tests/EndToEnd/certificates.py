"""Certificates for tests: contexts that trust an authority's file, and what a listener shows."""

import hashlib
import shutil
import socket
import ssl
import subprocess


def trusting(authority, certificate=None, key=None):
    """A context that trusts this authority alone, and shows a certificate where one is given."""
    context = ssl.create_default_context(cafile=str(authority))
    if certificate:
        context.load_cert_chain(str(certificate), str(key))
    return context


def shown(host, port, context=None):
    """SHA-256 of the certificate that a listener shows; the handshake must succeed."""
    context = context or ssl._create_unverified_context()
    with socket.create_connection((host, port), 10) as plain, context.wrap_socket(plain, server_hostname=host) as secure:
        return hashlib.sha256(secure.getpeercert(binary_form=True)).hexdigest()


def openssl(*words):
    """Runs openssl; gives what it prints."""
    done = subprocess.run([shutil.which("openssl"), *map(str, words)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout
