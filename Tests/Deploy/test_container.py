"""Tests of the container's files and of the image's build steps.

No container engine is needed. The tests themselves run the last build stage's steps in a fresh Debian system. They
start the image as a container engine does, with the image's environment variables and user. The program then has no
capabilities, and its root directory is read-only.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

import yaml
from packages import IS_LONG, ROOT, Debian, Packages, eventually, run

# The search path for programs, with the tools that deploy/test installs from deploy/requirements.txt.
TOOLS = f"{ROOT}/.build/tools/bin:{os.environ['PATH']}"
DOCKERFILE = ROOT / "deploy/Dockerfile"
COMPOSE = ROOT / "deploy/compose.yaml"


def last_stage():
    """Returns the last FROM and all later instructions, each as a pair of its first word and the rest."""
    lines = [line for line in DOCKERFILE.read_text().splitlines() if line and not line.startswith("#")]
    text = "\n".join(lines).replace("\\\n", " ")
    steps = [line.split(None, 1) for line in text.splitlines()]
    first = max(index for index, (word, _) in enumerate(steps) if word == "FROM")
    return [(word, rest) for word, rest in steps[first:]]


class Files(unittest.TestCase):
    def test_the_image_runs_as_an_ordinary_user_and_has_a_health_check(self):
        steps = last_stage()
        words = dict(steps)
        self.assertRegex(words["USER"], r"^[1-9]\d*:[1-9]\d*$")
        self.assertIn('["lamplighter", "doctor", "--quick"]', words["HEALTHCHECK"])
        self.assertEqual(words["VOLUME"], "/var/lib/lamplighter")

    def test_compose_grants_only_necessary_rights(self):
        service = yaml.safe_load(COMPOSE.read_text())["services"]["lamplighter"]
        self.assertTrue(service["read_only"])
        self.assertEqual(service["cap_drop"], ["ALL"])
        self.assertEqual(service["security_opt"], ["no-new-privileges:true"])
        # Other machines can connect only with TLS.
        others = {port.split(":")[-1] for port in service["ports"] if not port.startswith("127.0.0.1:")}
        self.assertEqual(others, {"8883", "8884", "8084", "8443"})

    @unittest.skipUnless(shutil.which("hadolint", path=TOOLS), "hadolint is not installed: deploy/test does it")
    def test_hadolint_reports_nothing(self):
        run(shutil.which("hadolint", path=TOOLS), DOCKERFILE)

    @unittest.skipUnless(shutil.which("check-jsonschema", path=TOOLS), "check-jsonschema is not installed: deploy/test does it")
    def test_the_compose_file_is_valid(self):
        run(shutil.which("check-jsonschema", path=TOOLS), "--builtin-schema", "vendor.compose-spec", COMPOSE)


@unittest.skipUnless(IS_LONG, "makes a Debian: with deploy/test --packages")
class Image(unittest.TestCase):
    """Tests the image's own build steps, and starts the image."""

    @classmethod
    def setUpClass(cls):
        packages = Packages()
        cls.addClassCleanup(packages.close)
        cls.debian = Debian()
        cls.addClassCleanup(cls.debian.close)
        cls.steps = last_stage()
        for word, rest in cls.steps:
            if word == "COPY":
                shutil.copy(packages.deb, cls.debian.root / rest.split()[-1].strip("/"))
            elif word == "RUN":
                cls.debian.enter("/bin/sh", "-c", rest)

    def test_it_starts_becomes_healthy_and_stops(self):
        words = dict(self.steps)
        user, group = words["USER"].split(":")
        variables = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        variables |= dict(pair.split("=", 1) for pair in shlex.split(words["ENV"]))
        command = json.loads(words["ENTRYPOINT"]) + json.loads(words["CMD"])
        health = json.loads(re.search(r"CMD (\[.*\])", words["HEALTHCHECK"])[1])
        volume = self.debian.folder / "volume"
        volume.mkdir()
        # In container engines, a new volume has the same owner as the image's folder at the mount point.
        os.chown(volume, int(user), int(group))
        script = f"""
            ip link set lo up
            mount --bind "$1" "$1"
            mount -t proc proc "$1/proc"
            mount --bind {shlex.quote(str(volume))} "$1{words['VOLUME']}"
            mount -o remount,bind,ro "$1"
            mount -t tmpfs tmpfs "$1/tmp"
            exec chroot "$@" """
        as_user = ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups", "--no-new-privs",
                   "--bounding-set=-all", "--inh-caps=-all", "--"]
        log = open(self.debian.folder / "image.log", "wb")
        self.addCleanup(log.close)
        process = subprocess.Popen(
            ["unshare", "--net", "--ipc", "--mount", "bash", "-euc", script, "bash", str(self.debian.root), *as_user, *command],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=variables, cwd="/")
        inside = ["nsenter", "--target", str(process.pid), "--net", "--mount", "chroot", str(self.debian.root), *as_user]
        try:
            eventually(lambda: (volume / "ready.json").exists() or process.poll() is not None, 60, "readiness")
            self.assertIsNone(process.poll(), pathlib.Path(log.name).read_text())
            run(*inside, *health, env=variables)
            self.assertNotEqual(run(*inside, "touch", "/etc/x", "/usr/x", check=False, env=variables).returncode, 0)
            # Other machines of the network can reach the service's listeners, except the health port.
            listeners = run("nsenter", "--target", str(process.pid), "--net", "ss", "--listening", "--tcp", "--numeric").stdout
            self.assertIn("0.0.0.0:1883", listeners)
            self.assertIn("0.0.0.0:8080", listeners)
            self.assertIn("0.0.0.0:8083", listeners)
            self.assertIn("127.0.0.1:8081", listeners)
        finally:
            process.terminate()
            self.assertEqual(process.wait(10), 0)
        # If the service isn't running, the health check fails.
        alone = ("unshare", "--mount", "bash", "-euc", 'mount -t proc proc "$1/proc"; exec chroot "$@"', "bash", self.debian.root)
        self.assertEqual(run(*alone, *health, check=False, env=variables).returncode, 1)


if __name__ == "__main__":
    unittest.main()
