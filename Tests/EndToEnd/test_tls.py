"""TLS for other machines: the service's own and foreign certificates, the renewal of both, and warnings."""

import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import unittest
import urllib.request

from certificates import issued, openssl, shown, trusting
from client import Device
from harness import BINARY, ENVIRONMENT, Service, eventually
from world import SETTINGS, OwnWorld, OwnWorldOfClass, World

# The address at which the service listens with TLS, and the address from which a lamp connects. The lamp stands for a
# lamp on another machine.
HOST, ELSEWHERE = "127.0.0.2", "127.0.0.3"
LISTENERS = ("mqttTlsPort", "webSocketTlsPort", "httpTlsPort")


def secure_world(*names, settings=()):
    """Returns a world whose service starts with a certificate that the service's own authority has issued."""
    service = Service(arguments=[*SETTINGS, "--set", f"tls.host={HOST}", *settings])
    try:
        service.cli("tls", "init", *(word for name in (HOST, *names) for word in ("--name", name)))
        return World(watch=False, service=service)
    except BaseException:
        service.close()
        raise


def await_banner(service, line):
    """Waits for a line of the banner, which is printed after `ready.json` is written."""
    eventually(lambda: re.search(line, pathlib.Path(service.log.name).read_text()), 10, f"the line {line}")


class Tls(OwnWorldOfClass):
    @classmethod
    def make_world(cls):
        return secure_world("lamps.example.com")

    @property
    def service(self):
        return self.world.service

    @property
    def authority(self):
        return self.service.data / "tls" / "authority.pem"

    def lamp(self, **more):
        """Returns a registered device that connects over TLS from the address `ELSEWHERE`."""
        plain = self.world.device(connect=False)
        return self.keep(Device(
            self.service.ready["mqttTlsPort"], plain.did, plain.secret, plain.mac, plain.product, plain.passcode,
            host=HOST, source=ELSEWHERE, tls=trusting(self.authority), **more))

    def test_a_remote_lamp_reports_with_the_authoritys_file(self):
        for version in (5, 4):
            with self.subTest(version=version):
                lamp = self.lamp(version=version).come()
                self.assertTrue(lamp.report(data={"power": True})["ok"])

    def test_mosquittos_own_client_connects_too(self):
        lamp = self.world.device(connect=False)
        done = subprocess.run(
            ["mosquitto_rr", "-h", HOST, "-p", str(self.service.ready["mqttTlsPort"]), "--cafile", str(self.authority), "-q", "1",
             "-i", lamp.did, "-u", f"device:{lamp.did}", "-P", lamp.secret, "-W", "20", "-t", f"ll/v1/device/{lamp.did}/report",
             "-e", f"ll/v1/device/{lamp.did}/response", "-m", '{"id":"r1","data":{"power":true}}'],
            capture_output=True, text=True, timeout=60)
        self.assertIn('"ok":true', done.stdout, done.stderr)

    def test_without_the_authoritys_file_a_client_refuses_the_server(self):
        for listener in LISTENERS:
            with self.subTest(listener), self.assertRaises(ssl.SSLCertVerificationError):
                shown(HOST, self.service.ready[listener], ssl.create_default_context())

    def test_the_certificate_is_valid_for_its_names_and_no_others(self):
        context, port = trusting(self.authority), self.service.ready["mqttTlsPort"]
        for name in ("lamps.example.com", "localhost", "127.0.0.1", "::1", HOST):
            with self.subTest(name), socket.create_connection((HOST, port), 10) as plain:
                context.wrap_socket(plain, server_hostname=name).close()
        with socket.create_connection((HOST, port), 10) as plain, self.assertRaises(ssl.SSLCertVerificationError):
            context.wrap_socket(plain, server_hostname="other.example.com")

    def test_all_listeners_show_one_certificate(self):
        found = {shown(HOST, self.service.ready[name], trusting(self.authority)) for name in LISTENERS}
        self.assertEqual(len(found), 1)

    def test_the_pages_are_served_with_tls(self):
        with urllib.request.urlopen(
                f"https://{HOST}:{self.service.ready['httpTlsPort']}/healthz", context=trusting(self.authority), timeout=10) as page:
            self.assertEqual(page.read(), b'{"ok":true}\n')

    def test_tls_1_2_and_1_3_are_supported_and_nothing_older(self):
        versions = ((ssl.TLSVersion.TLSv1_1, False), (ssl.TLSVersion.TLSv1_2, True), (ssl.TLSVersion.TLSv1_3, True))
        for listener in LISTENERS:
            for version, is_spoken in versions:
                with self.subTest(listener, version=version.name):
                    context = ssl._create_unverified_context()
                    # With Debian's default settings, the client itself would refuse the old TLS version. The server's
                    # refusal would then not be tested.
                    context.set_ciphers("ALL:@SECLEVEL=0")
                    context.minimum_version = context.maximum_version = version
                    if is_spoken:
                        shown(HOST, self.service.ready[listener], context)
                    else:
                        with self.assertRaises((ssl.SSLError, ConnectionResetError)):
                            shown(HOST, self.service.ready[listener], context)

    def test_plain_listeners_are_on_loopback_only(self):
        for name in ("mqttPort", "httpPort", "healthPort", "consolePort", "webSocketPort"):
            port = self.service.ready[name]
            with self.subTest(name):
                socket.create_connection(("127.0.0.1", port), 10).close()
                with self.assertRaises(ConnectionRefusedError):
                    socket.create_connection((HOST, port), 10).close()
                if name != "healthPort" and has_six():
                    socket.create_connection(("::1", port), 10).close()

    def test_the_banner_and_show_list_the_listeners(self):
        await_banner(self.service, r"ok  tls +mqtts \d+  wss \d+  https \d+  certificates \d+")
        server, authority = self.service.json("tls", "show")
        self.assertIn("lamps.example.com", server["names"])
        self.assertEqual(server["issuer"], authority["subject"])
        self.assertIn("lamps.example.com", self.service.cli("tls", "show").stdout)

    def test_keys_are_readable_by_their_owner_only(self):
        for folder in ("tls", "broker"):
            for path in (self.service.data / folder).glob("*.key"):
                self.assertEqual(path.stat().st_mode & 0o077, 0, path)


def has_six():
    try:
        with socket.socket(socket.AF_INET6) as s:
            s.bind(("::1", 0))
            return True
    except OSError:
        return False


class Renewing(OwnWorld):
    def make_world(self):
        return secure_world()

    def certificates(self):
        ready = self.world.service.ready
        return [shown(HOST, ready[name]) for name in LISTENERS]

    def metric(self, certificate):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.world.service.health_port}/metrics", timeout=10) as page:
            [value] = re.findall(rf'^lamplighter_certificate_remaining_seconds\{{certificate="{certificate}"\}} (\S+)$',
                                 page.read().decode(), re.M)
        return float(value) / 86_400

    def doctor(self):
        done = self.world.service.cli("doctor", "--only", "certificates", check=False)
        return done.returncode, done.stdout

    def test_a_new_certificate_is_used_and_no_connection_ends(self):
        service = self.world.service
        tls = trusting(service.data / "tls" / "authority.pem")
        plain = self.world.device(connect=False)
        lamp = self.keep(Device(service.ready["mqttTlsPort"], plain.did, plain.secret, host=HOST, tls=tls)).come()
        app = self.keep(self.world.terminal())
        self.assertTrue(lamp.report(data={"power": True})["ok"])
        before = self.certificates()
        number = service.device(lamp.did)

        service.cli("tls", "init")

        eventually(lambda: not set(self.certificates()) & set(before), 20, "the new certificate on all listeners")
        self.assertEqual(len(set(self.certificates())), 1)
        self.assertTrue(lamp.report(data={"power": False})["ok"])
        app.get("device/list")
        self.assertIsNone(lamp.lost)
        self.assertIsNone(app.lost)
        # The service never recorded the lamp as offline: the recorded connection is the same as before.
        self.assertEqual(service.device(lamp.did).get("online"), number.get("online"))
        # The lamp's rights are the same as before: it still can't subscribe to other devices' topics.
        self.assertGreaterEqual(lamp.subscribe("ll/v1/device/+/command"), 0x80)

    def test_a_revoked_session_ends_after_a_new_certificate_as_before(self):
        app = self.keep(self.world.terminal())
        os.kill(self.world.service.broker_pid, signal.SIGHUP)
        app.get("device/list")
        self.world.service.cli("session", "terminate", app.session_id)
        app.wait_lost()

    def test_a_mismatched_pair_is_reported_and_not_used(self):
        service = self.world.service
        before = self.certificates()
        key = service.data / "tls" / "server.key"
        right = key.read_text()
        key.write_text(openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout"))

        log = pathlib.Path(service.log.name)
        eventually(lambda: "a new certificate cannot be used" in log.read_text(), 20, "the line in the log")

        self.assertEqual(self.certificates(), before)
        code, told = self.doctor()
        self.assertEqual(code, 1)
        self.assertIn("belongs to another certificate", told + service.cli("tls", "show", check=False).stderr)
        self.assertNotIn("PRIVATE", log.read_text())
        key.write_text(right)
        self.assertEqual(self.doctor()[0], 0)

    def test_warnings_begin_30_and_7_days_before_the_end(self):
        service = self.world.service
        log = pathlib.Path(service.log.name)
        self.assertEqual(self.doctor()[0], 0)
        self.assertAlmostEqual(self.metric("server"), 397, delta=1)
        self.assertAlmostEqual(self.metric("authority"), 3650, delta=1)
        for days, code, level in ((20, 3, "warning"), (5, 1, "error")):
            with self.subTest(days=days):
                self.put(days - 200, days)
                eventually(lambda: abs(self.metric("server") - days) < 1, 20, "the metric")
                found, told = self.doctor()
                self.assertEqual(found, code, told)
                self.assertIn(f"expires in {days - 1} days", told)
                eventually(lambda: re.search(rf"{level}.*a certificate needs to be renewed", log.read_text()), 20, "the log")

    def put(self, begin, end):
        """Installs a certificate of the service's authority, from `begin` to `end` (days from now)."""
        tls = self.world.service.data / "tls"
        certificate, key = issued(tls / "authority.pem", pathlib.Path(self.world.service.holder) / "issued", "server", begin, end)
        for source, target in ((key, tls / "server.key"), (certificate, tls / "server.pem")):
            new = target.with_suffix(".given")
            new.write_text(source.read_text())
            new.chmod(0o600)
            new.rename(target)

    def test_a_certificate_of_a_week_is_not_warned_about_until_its_last_third(self):
        for left, code in ((6, 0), (2, 3), (0.5, 1)):
            with self.subTest(left=left):
                self.put(left - 7, left)
                eventually(lambda: abs(self.metric("server") - left) < 0.2, 20, "the metric")
                found, told = self.doctor()
                self.assertEqual(found, code, told)

    def test_an_expired_certificate_is_not_used_and_doctor_reports_the_one_in_use(self):
        service, log = self.world.service, pathlib.Path(self.world.service.log.name)
        before = self.certificates()
        self.put(-30, -1)
        eventually(lambda: re.search(r"a new certificate cannot be used.*the certificate expired at", log.read_text()), 20, "the log")
        self.assertEqual(self.certificates(), before)
        self.assertGreater(self.metric("server"), 300)
        with urllib.request.urlopen(f"http://127.0.0.1:{service.health_port}/metrics", timeout=10) as page:
            text = page.read().decode()
        self.assertIn("\nlamplighter_certificate_refused 1\n", text)
        self.assertIn('\nlamplighter_certificate_lifetime_seconds{certificate="server"} 34300800\n', text)
        code, told = self.doctor()
        self.assertEqual(code, 1)
        self.assertIn("the certificate expired at", told)
        for name in LISTENERS:
            self.assertIn(f"{HOST}:{service.ready[name]} shows another certificate", told)
        # The doctor skips the port for client certificates. On that port, a handshake without a device's certificate
        # would count as a refusal.
        self.assertNotIn(f":{service.ready['clientCertificatePort']} ", told)
        # After a restart, the service has no older certificate to use instead. The banner reports the expired
        # certificate.
        service.stop()
        service.start()
        await_banner(service, r"!!  tls +mqtts .*server\.pem: the certificate expired at")
        self.assertEqual(self.doctor()[0], 1)
        service.cli("tls", "init")
        eventually(lambda: self.doctor()[0] == 0, 30, "the renewed one")

    def test_doctor_checks_the_certificate_in_use(self):
        service = self.world.service
        self.assertEqual(self.doctor()[0], 0)
        os.kill(service.broker_pid, signal.SIGSTOP)
        try:
            code, told = self.doctor()
        finally:
            os.kill(service.broker_pid, signal.SIGCONT)
        self.assertEqual(code, 1)
        self.assertIn(f"{HOST}:{service.ready['mqttTlsPort']} shows no certificate", told)

    def test_another_authoritys_file_beside_the_certificate_is_reported(self):
        service = self.world.service
        authority = service.data / "tls" / "authority.pem"
        own = authority.read_text()
        other = pathlib.Path(service.holder) / "other.pem"
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "900", "-subj", "/CN=Another authority", "-keyout",
                other.with_suffix(".key"), "-out", other)
        authority.write_text(other.read_text())
        code, told = self.doctor()
        self.assertEqual(code, 1)
        self.assertIn("has not signed it", told)
        shown_text = service.cli("tls", "show").stdout
        self.assertIn("has not signed it", shown_text)
        self.assertIn("tls init", shown_text)
        [line] = [one for one in service.json("tls", "show") if one["certificate"] == "server"]
        self.assertIn("has not signed it", line["warning"])
        authority.write_text(own)
        self.assertEqual(self.doctor()[0], 0)

    def test_a_renewed_authority_is_trusted_beside_the_old_one(self):
        service = self.world.service
        authority = service.data / "tls" / "authority.pem"
        old = pathlib.Path(service.holder) / "old.pem"
        old.write_text(authority.read_text())
        before = self.certificates()
        told = service.cli("tls", "init", "--renew-authority")
        self.assertIn("(new)", told.stdout)
        self.assertIn("restart the service", told.stderr)
        eventually(lambda: not set(self.certificates()) & set(before), 20, "the new certificate on all listeners")
        new = pathlib.Path(service.holder) / "new.pem"
        new.write_text(authority.read_text().partition("-----END CERTIFICATE-----\n")[0] + "-----END CERTIFICATE-----\n")
        # A device can connect if it trusts the old authority, the new authority, or both authorities.
        for trusted in (old, new, authority):
            for listener in LISTENERS:
                with self.subTest(trusted.name, listener=listener):
                    shown(HOST, service.ready[listener], trusting(trusted))
        rows = service.json("tls", "show")
        self.assertEqual([row["certificate"] for row in rows], ["server", "authority", "authority"])
        self.assertEqual(rows[0]["issuer"], rows[1]["subject"])
        # The broker reads the devices' authority only at its start.
        code, told = self.doctor()
        self.assertEqual(code, 3, told)
        self.assertIn("restart the service", told)
        service.stop()
        service.start()
        code, told = self.doctor()
        self.assertEqual(code, 0, told)


class Starting(unittest.TestCase):
    """Certificates and listeners with which `up` can't start."""

    def setUp(self):
        self.service = Service()
        self.addCleanup(self.service.close)
        self.folder = pathlib.Path(self.service.holder)

    def refused(self, *settings):
        """Asserts that the start fails, and returns its error."""
        arguments = [word for setting in settings for word in ("--set", setting)]
        done = subprocess.run(
            [str(BINARY), "up", "--data", str(self.service.data), "--mqtt-port", "0", "--http-port", "0", "--health-port", "0",
             *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, env=ENVIRONMENT)
        self.assertEqual(done.returncode, 1, done.stdout)
        return done.stderr

    def pair(self, name, days=10):
        """Creates a certificate and its key with openssl, as another authority would."""
        paths = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", days, "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", paths[1], "-out", paths[0])
        paths[1].chmod(0o600)
        return paths

    def test_unusable_files_are_named(self):
        certificate, key = self.pair("one")
        other = self.pair("two")[1]
        open_key = self.folder / "open.key"
        open_key.write_text(key.read_text())
        open_key.chmod(0o644)
        encrypted = self.folder / "encrypted.key"
        openssl("pkcs8", "-topk8", "-in", key, "-out", encrypted, "-passout", "pass:x")
        encrypted.chmod(0o600)
        bundle, binary = self.folder / "one.p12", self.folder / "one.der"
        openssl("pkcs12", "-export", "-in", certificate, "-inkey", key, "-out", bundle, "-passout", "pass:x")
        openssl("x509", "-in", certificate, "-outform", "DER", "-out", binary)
        for given, expected in (
                ((certificate, other), ("LL1013", "two.key")),
                ((certificate, self.folder / "none.key"), ("LL1012", "none.key")),
                ((self.folder / "none.pem", key), ("LL1012", "none.pem")),
                ((key, key), ("LL1012", "no certificate")),
                ((certificate, open_key), ("LL1012", "every user")),
                ((certificate, encrypted), ("LL1012", "passphrase")),
                ((bundle, key), ("LL1012", "PKCS #12", f"openssl pkcs12 -in '{bundle}'")),
                ((binary, key), ("LL1012", f"openssl x509 -inform DER -in '{binary}'"))):
            with self.subTest(expected):
                told = self.refused(f"tls.certificate={given[0]}", f"tls.key={given[1]}")
                for word in expected:
                    self.assertIn(word, told)
                self.assertNotIn("tls show", told)
        self.assertIn("LL1102", self.refused(f"tls.certificate={certificate}"))

    def test_show_names_unusable_files_and_the_cure(self):
        self.service.cli("tls", "init")
        key = self.service.data / "tls" / "server.key"
        key.unlink()
        done = self.service.cli("tls", "show", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{key}   it is missing", done.stdout)
        self.assertIn("lamplighter tls init --data", done.stderr)
        self.assertNotIn("tls show", done.stderr)

    def test_a_foreign_address_is_reported_with_its_setting(self):
        self.service.cli("tls", "init")
        for host in ("203.0.113.77", "lamps.example.com"):
            with self.subTest(host):
                told = self.refused(f"tls.host={host}")
                self.assertIn(f"tls.host is {host}", told)
                self.assertNotIn("any free port", told)

    def test_a_given_certificate_is_used(self):
        certificate, key = self.pair("given")
        self.service.arguments = [
            "--set", f"tls.certificate={certificate}", "--set", f"tls.key={key}", "--set", "tls.host=127.0.0.1"]
        self.service.start()
        for name in LISTENERS:
            with self.subTest(name):
                shown("127.0.0.1", self.service.ready[name], trusting(certificate))
        # Without an authority, devices' certificates can't be checked.
        self.assertNotIn("clientCertificatePort", self.service.ready)

    def test_plain_listeners_for_other_machines_must_be_requested(self):
        for setting in ("mqtt.host", "http.host", "health.host"):
            with self.subTest(setting):
                told = self.refused(f"{setting}=127.0.0.1", f"{setting}=0.0.0.0")
                self.assertIn("LL1015", told)
                self.assertIn(setting, told)
        self.service.arguments = ["--insecure", "--set", "http.host=127.0.0.2", "--set", "mqtt.host=127.0.0.1"]
        self.service.start()
        socket.create_connection(("127.0.0.2", self.service.http_port), 10).close()

    def test_listeners_can_be_disabled(self):
        self.service.cli("tls", "init")
        self.service.arguments = ["--set", "tls.host=127.0.0.1", "--set", "mqtt.tlsPort=-1", "--set", "mqtt.webSocketPort=-1",
                                  "--set", "mqtt.clientCertificatePort=-1"]
        self.service.start()
        self.assertEqual({name for name in self.service.ready if name.endswith("Port")},
                         {"mqttPort", "httpPort", "healthPort", "consolePort", "webSocketTlsPort", "httpTlsPort"})

    def test_invalid_names_are_refused(self):
        for name, word in (("https://lamps.example.com", "without https://"), ("lamps.example.com:8883", "without a port"),
                           ("bücher.example", "xn--"), ("a b", "letters")):
            with self.subTest(name):
                done = self.service.cli("tls", "init", "--name", name, check=False)
                self.assertEqual(done.returncode, 2)
                self.assertIn(word, done.stderr)
        self.assertFalse((self.service.data / "tls").exists())

    def test_a_dot_at_the_end_of_a_name_is_dropped(self):
        self.assertIn("lamps.example.com", self.service.json("tls", "init", "--name", "Lamps.example.com.")["names"])

    def test_show_without_a_certificate_says_how_to_make_one(self):
        told = self.service.cli("tls", "show", check=False).stderr
        self.assertIn("LL1012", told)
        self.assertIn("tls init", told)
