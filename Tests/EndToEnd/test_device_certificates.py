"""Devices that show a certificate instead of their secret, at a separate listener."""

import pathlib
import shutil
import socket
import ssl
import tempfile

from certificates import openssl, trusting
from client import Client, Device
from harness import eventually
from test_tls import HOST, secure_world
from test_websocket import refusals
from world import OwnWorld, OwnWorldOfClass


class Certificates(OwnWorldOfClass):
    @classmethod
    def make_world(cls):
        return secure_world()

    @property
    def service(self):
        return self.world.service

    @property
    def port(self):
        return self.service.ready["clientCertificatePort"]

    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(self.service.holder) / self.id()

    def made(self, did, folder="first"):
        """Issues a device's certificate, and returns the files of certificate, key and authority."""
        told = self.service.json("device", "certificate", did, "--out", str(self.folder / folder))
        return told["certificate"], told["key"], told["authority"]

    def with_certificate(self, plain, files, **more):
        context = trusting(files[2], files[0], files[1])
        more = {"secret": None, "port": self.port, **more}
        secret, port = more.pop("secret"), more.pop("port")
        return self.keep(Device(port, plain.did, secret, plain.mac, plain.product, plain.passcode, host=HOST, tls=context, **more))

    def test_a_device_reports_without_a_secret(self):
        plain = self.world.device(connect=False)
        files = self.made(plain.did)
        for version in (5, 4):
            with self.subTest(version=version):
                lamp = self.with_certificate(plain, files, version=version).come()
                self.assertTrue(lamp.report(data={"power": version == 5})["ok"])
                # With the certificate the device has the same rights as with its secret.
                self.assertGreaterEqual(lamp.subscribe("ll/v1/device/+/command"), 0x80)
        facts = openssl("x509", "-in", files[0], "-noout", "-subject", "-ext", "extendedKeyUsage")
        self.assertIn(f"CN = device/{plain.did}", facts)
        self.assertIn("TLS Web Client Authentication", facts)
        self.assertEqual(pathlib.Path(files[1]).stat().st_mode & 0o777, 0o600)

    def test_it_does_not_admit_another_device_or_an_app(self):
        own, other = self.world.device(connect=False), self.world.device(connect=False)
        files = self.made(own.did)
        self.assertNotEqual(self.with_certificate(other, files).connect(), 0)
        context = trusting(files[2], files[0], files[1])
        for name, client_id in ((f"device:{own.did}", other.did), ("app:test-app", "0" * 32), (None, own.did),
                                ("service:lamplighter", "svc.lamplighter.x")):
            with self.subTest(name):
                self.assertNotEqual(Client(self.port, name, None, client_id, host=HOST, tls=context).connect(), 0)
        # Other devices can use their secrets at every listener, and so at this one.
        self.assertEqual(self.with_certificate(other, files, secret=other.secret).connect(), 0)

    def test_the_certificate_is_accepted_only_at_its_own_listener(self):
        plain = self.world.device(connect=False)
        files = self.made(plain.did)
        self.assertNotEqual(self.with_certificate(plain, files, port=self.service.ready["mqttTlsPort"]).connect(), 0)

    def test_without_a_certificate_of_the_authority_the_listener_refuses_clients(self):
        key, foreign = self.folder / "foreign.key", self.folder / "foreign.pem"
        self.folder.mkdir(parents=True)
        plain = self.world.device(connect=False)
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN=device\\/{plain.did}", "-keyout", key,
                "-out", foreign)
        authority = self.service.data / "tls" / "authority.pem"
        server = self.service.data / "tls"
        for name, context in (("none", trusting(authority)), ("foreign", trusting(authority, foreign, key)),
                              # The authority has issued the server's certificate, but not for use by a client.
                              ("server's", trusting(authority, server / "server.pem", server / "server.key"))):
            with self.subTest(name), self.assertRaises((ssl.SSLError, ConnectionError)):
                with socket.create_connection((HOST, self.port), 10) as tcp, context.wrap_socket(tcp, server_hostname=HOST) as tls:
                    # In TLS 1.3, a refused client learns of the refusal only when it reads the first answer.
                    tls.sendall(b"\x10\x0c\0\4MQTT\4\2\0\x1e\0\0")
                    if tls.recv(1) == b"":
                        raise ConnectionError

    def test_a_revoked_certificate_ends_its_connection_and_a_new_one_is_accepted(self):
        plain = self.world.device(connect=False)
        old = self.made(plain.did)
        with_secret = self.keep(self.world.device())
        lamp = self.with_certificate(plain, old).come()
        self.service.cli("device", "certificate", plain.did, "--revoke")
        lamp.wait_lost()
        self.assertNotEqual(self.with_certificate(plain, old).connect(), 0)
        rows = eventually(lambda: refusals(self.service, plain.did), 10, "the refusal")
        self.assertEqual(rows[0]["reason"], "certificateRevoked")
        # The device's secret still works, and other devices are not affected.
        self.assertTrue(with_secret.report(data={"power": True})["ok"])
        again = Device(self.world.port, plain.did, plain.secret)
        self.assertEqual(again.connect(), 0)
        again.close()
        new = self.made(plain.did, "second")
        self.assertEqual(self.with_certificate(plain, new).connect(), 0)
        self.service.cli("tls", "init")
        self.assertNotEqual(self.with_certificate(plain, old).connect(), 0)

    def test_a_forgotten_device_is_refused(self):
        plain = self.world.device(connect=False)
        files = self.made(plain.did)
        lamp = self.with_certificate(plain, files).come()
        self.service.cli("device", "forget", plain.did, "--yes")
        lamp.wait_lost()
        self.assertNotEqual(self.with_certificate(plain, files).connect(), 0)

    def test_a_revocation_outlasts_a_restart(self):
        plain = self.world.device(connect=False)
        old = self.made(plain.did)
        self.service.cli("device", "certificate", plain.did, "--revoke")
        self.service.stop()
        (self.service.data / "gate" / "credentials").unlink()
        self.service.start()
        self.assertNotEqual(self.with_certificate(plain, old).connect(), 0)

    def test_a_renewed_authoritys_certificates_are_accepted_from_the_next_start_and_old_ones_still_work(self):
        plain, later = self.world.device(connect=False), self.world.device(connect=False)
        old = self.made(plain.did)
        self.service.cli("tls", "init", "--renew-authority")
        done = self.service.cli("device", "certificate", later.did, "--out", str(self.folder / "new"))
        self.assertIn("Restart the service", done.stderr)
        new = tuple(self.folder / "new" / name for name in (f"{later.did}.pem", f"{later.did}.key", "authority.pem"))
        self.service.stop()
        self.service.start()
        for device, files in ((plain, old), (later, new)):
            self.assertEqual(self.with_certificate(device, files).connect(), 0)

    def test_impossible_certificates_are_refused_with_the_reason(self):
        for arguments, word in ((("d-0000000000000",), "LL1203"), ((self.world.device(connect=False).did, "--days", "0"), "--days")):
            done = self.service.cli("device", "certificate", *arguments, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(word, done.stderr)


class BesideAPublicCertificate(OwnWorld):
    """The server's certificate is from a public authority, and the devices' certificates are from the service's
    own authority."""

    def make_world(self):
        holder = pathlib.Path(tempfile.mkdtemp(prefix="lamplighter-public-"))
        self.addCleanup(shutil.rmtree, holder, ignore_errors=True)
        self.public = holder / "public.pem"
        key = holder / "public.key"
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "90", "-subj", "/CN=A public authority", "-addext",
                f"subjectAltName=IP:{HOST}", "-keyout", key, "-out", self.public)
        key.chmod(0o600)
        return secure_world(settings=("--set", f"tls.certificate={self.public}", "--set", f"tls.key={key}"))

    def test_a_device_trusts_the_servers_authority_and_is_told_which(self):
        service, plain = self.world.service, self.world.device(connect=False)
        out = pathlib.Path(service.holder) / "out"
        settings = service.data / "given.yaml"
        settings.write_text(f"tls: {{certificate: {self.public}, key: {self.public.with_suffix('.key')}}}\n")
        told = service.json("device", "certificate", plain.did, "--out", str(out), "--config", str(settings))
        self.assertNotIn("authority", told)
        self.assertIn("A public authority", told["serverIssuer"])
        self.assertFalse((out / "authority.pem").exists())
        lamp = self.keep(Device(service.ready["clientCertificatePort"], plain.did, None, host=HOST,
                                tls=trusting(self.public, told["certificate"], told["key"])))
        self.assertEqual(lamp.connect(), 0)
        words = service.cli("device", "certificate", plain.did, "--out", str(out), "--config", str(settings)).stdout
        self.assertIn("A public authority", words)
