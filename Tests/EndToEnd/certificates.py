"""Certificates for tests: TLS contexts that trust one authority, and the listeners' certificates."""

import datetime
import hashlib
import secrets
import shutil
import socket
import ssl
import subprocess


def trusting(authority, certificate=None, key=None):
    """Returns a TLS context that trusts only this authority, and presents the given certificate, if any."""
    context = ssl.create_default_context(cafile=str(authority))
    if certificate:
        context.load_cert_chain(str(certificate), str(key))
    return context


def shown(host, port, context=None):
    """Returns the SHA-256 of a listener's certificate; the handshake must succeed."""
    context = context or ssl._create_unverified_context()
    with socket.create_connection((host, port), 10) as plain, context.wrap_socket(plain, server_hostname=host) as secure:
        return hashlib.sha256(secure.getpeercert(binary_form=True)).hexdigest()


def issued(authority, folder, name, begin, end):
    """Issues a server certificate, signed by the authority of `tls init`, and returns its files.

    `begin` and `end` are days from now.
    """
    folder.mkdir(exist_ok=True)
    (folder / "index").write_text("")
    # Each certificate of an authority needs its own serial number.
    (folder / "serial").write_text(secrets.token_hex(8) + "\n")
    (folder / "ca.cnf").write_text(f"""
[ca]
default_ca = own
[own]
database = {folder}/index
serial = {folder}/serial
new_certs_dir = {folder}
default_md = sha256
policy = any
x509_extensions = server
[any]
commonName = supplied
[server]
basicConstraints = critical, CA:FALSE
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost, IP:127.0.0.1, IP:127.0.0.2
""")
    request, certificate, key = (folder / f"{name}.{ending}" for ending in ("csr", "pem", "key"))
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost",
            "-keyout", key, "-out", request)
    now = datetime.datetime.now(datetime.timezone.utc)
    times = [(now + datetime.timedelta(days=days)).strftime("%Y%m%d%H%M%SZ") for days in (begin, end)]
    openssl("ca", "-batch", "-notext", "-config", folder / "ca.cnf", "-cert", authority, "-keyfile",
            authority.with_suffix(".key"), "-startdate", times[0], "-enddate", times[1], "-in", request, "-out", certificate)
    return certificate, key


def openssl(*words):
    """Runs openssl and returns its output."""
    done = subprocess.run([shutil.which("openssl"), *map(str, words)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout
