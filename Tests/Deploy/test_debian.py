"""Tests the package in a Debian system, from its installation to its purge.

These tests run with deploy/test --packages. The first tests run programs in the system's folder with chroot. They
start the service without systemd. The other tests boot the system as a machine, with systemd's limits and watchdog.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import unittest

from packages import IS_LONG, IS_STATIC, ROOT, Debian, Machine, Packages, eventually, run

CONFIG = "etc/lamplighter/lamplighter.yaml"
PRODUCT = {
    "productKey": "1a" * 16, "name": "Lamp", "registration": "open",
    "dataPoints": [{"name": "power", "access": "rw", "type": "bool"}],
}
# A script that uses Debian's MQTT clients and behaves like the device in the README. The device registers once and
# keeps its identity.
DEVICE = """
rr() { mosquitto_rr -h 127.0.0.1 -W 20 -q 1 "$@"; }
lamp=ll/v1/product/KEY/aabbccddeeff
if [ ! -e /var/tmp/did ]; then
    answer=$(rr -i aabbccddeeff -u product:KEY -P "$(cat /var/tmp/product.secret)" -t $lamp/register -e $lamp/registered \\
        -m '{"id":"1","mac":"aabbccddeeff","passcode":"lamp-4711","hardware":{"link":"wifi"}}')
    echo "$answer" | sed 's/.*"did":"\\([^"]*\\)".*/\\1/' > /var/tmp/did
    echo "$answer" | sed 's/.*"secret":"\\([^"]*\\)".*/\\1/' > /var/tmp/device.secret
fi
did=$(cat /var/tmp/did)
rr -i "$did" -u "device:$did" -P "$(cat /var/tmp/device.secret)" -t "ll/v1/device/$did/report" -e "ll/v1/device/$did/response" \\
    -m '{"id":"'"$(date +%s%N)"'","data":{"power":true}}'
""".replace("KEY", PRODUCT["productKey"])


def report(shell):
    """Sends a report as the lamp, and returns whether the answer was ok."""
    return '"ok":true' in shell(DEVICE).replace(" ", "")


def import_product(enter):
    """Imports the lamp's product with lamplighterctl, and saves the product's secret for the script DEVICE."""
    enter("bash", "-c", "lamplighterctl product import - --json <<'END' | sed 's/.*\"productSecret\":\"\\([^\"]*\\)\".*/\\1/'"
          f" > /var/tmp/product.secret\n{json.dumps(PRODUCT)}\nEND")


@unittest.skipUnless(IS_LONG, "makes a Debian: with deploy/test --packages")
class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if os.geteuid() != 0:
            raise AssertionError("a Debian is made by root alone; run deploy/test --packages as root")
        if not IS_STATIC:
            raise AssertionError("the build needs the Swift runtime; deploy/test --packages makes one that does not")
        cls.package, cls.next = Packages(), Packages("+1")
        cls.addClassCleanup(cls.package.close)
        cls.addClassCleanup(cls.next.close)
        cls.debian = Debian(cls.package)
        cls.addClassCleanup(cls.debian.close)
        for packages in (cls.package, cls.next):
            shutil.copy(packages.deb, cls.debian.root / "root")

    def limits(self):
        """Returns a command that starts the service as the systemd unit does.

        The service runs as the unit's user, with those of the unit's limits that work without systemd.
        """
        unit = (ROOT / "deploy/systemd/lamplighter.service").read_text()
        line = re.search(r"^ExecStart=(.*)$", unit, re.M)[1]
        data = {"G": 1 << 30}
        match = re.search(r"^LimitDATA=(\d+)(G)$", unit, re.M)
        return ["prlimit", f"--data={int(match[1]) * data[match[2]]}", "--",
                "unshare", "--net", "--ipc", "--mount", "--",
                "bash", "-euc", 'ip link set lo up; mount -t proc proc "$1/proc"; exec chroot "$@"', "bash",
                str(self.debian.root),
                "setpriv", "--reuid=lamplighter", "--regid=lamplighter", "--init-groups", "--no-new-privs",
                "--bounding-set=-all", "--inh-caps=-all", "--",
                *shlex.split(line)]

    def test_1_by_hand_in_a_folder(self):
        """The program runs without privileges or systemd, and nothing is fetched or left behind."""
        debian = self.debian
        before = debian.snapshot()
        # Without a network (--net), a download by a maintainer script would fail.
        offline = ("unshare", "--net", "chroot", debian.root, "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8")
        run(*offline, "apt-get", "install", "-y", "--no-install-recommends", f"/var/tmp/{self.package.deb.name}")
        self.assertEqual(debian.enter("dpkg", "--verify", "lamplighter").stdout, "")
        self.assertEqual(debian.enter("stat", "-c", "%a %U:%G", "/var/lib/lamplighter").stdout, "700 lamplighter:lamplighter\n")
        self.assertEqual(debian.enter("stat", "-c", "%a %U:%G", f"/{CONFIG}").stdout, "640 root:lamplighter\n")
        self.assertNotIn("not found", debian.enter("ldd", "/usr/bin/lamplighter").stdout)

        log = open(debian.folder / "hand.log", "wb")
        self.addCleanup(log.close)
        process = subprocess.Popen(self.limits(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/")
        try:
            data = debian.root / "var/lib/lamplighter"
            eventually(lambda: (data / "ready.json").exists() or process.poll() is not None, 60, "readiness")
            self.assertIsNone(process.poll(), (debian.folder / "hand.log").read_text())
            inside = ["nsenter", "--target", str(process.pid), "--net", "--mount", "chroot", str(debian.root)]
            status = status_of(process.pid)
            self.assertEqual((status["CapEff"], status["CapBnd"], status["NoNewPrivs"]), ("0" * 16, "0" * 16, "1"))
            import_product(lambda *words: run(*inside, *words))
            self.assertTrue(report(lambda script: run(*inside, "bash", "-euc", script).stdout))
            run(*inside, "lamplighterctl", "doctor", "--quick")
        finally:
            process.terminate()
            self.assertEqual(process.wait(10), 0)

        debian.enter("sed", "-i", "s/level: notice/level: info/", f"/{CONFIG}")
        run(*offline, "apt-get", "install", "-y", f"/var/tmp/{self.next.deb.name}")
        self.assertIn("level: info", (debian.root / CONFIG).read_text())
        self.assertEqual(debian.enter("dpkg-query", "-W", "-f", "${Version}", "lamplighter").stdout, self.next.version)
        run(*offline, "apt-get", "remove", "-y", "lamplighter")
        self.assertTrue((debian.root / CONFIG).exists())
        self.assertTrue((debian.root / "var/lib/lamplighter/lamplighter.db").exists())
        self.assertFalse((debian.root / "usr/bin/lamplighter").exists())
        told = run(*offline, "apt-get", "purge", "-y", "lamplighter").stdout
        self.assertIn("stay in /var/lib/lamplighter", told)
        self.assertTrue((debian.root / "var/lib/lamplighter/lamplighter.db").exists())
        debian.enter("bash", "-c", "rm -r /var/lib/lamplighter && deluser --system lamplighter")
        for path in ("var/tmp/did", "var/tmp/device.secret", "var/tmp/product.secret"):
            (debian.root / path).unlink()
        after = debian.snapshot()
        self.assertEqual((sorted(after - before), sorted(before - after)), ([], []))

    def test_2_with_systemd_in_a_machine(self):
        if not shutil.which("systemd-nspawn"):
            self.skipTest("systemd-nspawn is not installed")
        before = self.debian.snapshot()
        machine = Machine(self.debian).boot()
        self.addCleanup(machine.halt)
        self.install(machine)
        self.is_held(machine)
        import_product(lambda *words: machine.run(*words))
        self.assertTrue(report(machine.shell))
        self.writes_only_where_it_may(machine)
        self.hangs_and_comes_back(machine)
        self.upgrade(machine)
        machine.halt()
        machine.boot()
        self.comes_with_the_machine(machine)
        self.serves_beside_debians_broker(machine)
        self.goes(machine)
        machine.halt()
        after = self.debian.snapshot()
        self.assertEqual((sorted(after - before), sorted(before - after)), ([], []))

    def test_3_the_tarball_as_it_says_itself(self):
        if not shutil.which("systemd-nspawn"):
            self.skipTest("systemd-nspawn is not installed")
        machine = Machine(self.debian).boot()
        self.addCleanup(machine.halt)
        run("tar", "-xzf", self.package.tarball, "-C", self.debian.root / "root")
        folder = "/var/tmp/" + self.package.tarball.name.removesuffix(".tar.gz")
        text = (self.debian.root / folder[1:] / "INSTALL").read_text()
        libraries, install = re.findall(r"\n\n((?:    .*\n)+)", text)
        machine.shell(f"cd {folder}; " + re.sub(r"\n +bin/lamplighter up\n", "\n", libraries.replace("install", "install -y", 1)))
        machine.shell(f"cd {folder};" + install)
        self.assertEqual(machine.show("lamplighter", "ActiveState"), "active", self.journal(machine))
        machine.shell("rm -f /var/tmp/did /var/tmp/*.secret")
        machine.shell("printf '%s' '" + json.dumps(PRODUCT) + "' > /tmp/lamp.json; cd /; chmod 644 /tmp/lamp.json;"
                      "runuser -u lamplighter -- /usr/local/bin/lamplighter product import /tmp/lamp.json --json"
                      " --data /var/lib/lamplighter | sed 's/.*\"productSecret\":\"\\([^\"]*\\)\".*/\\1/' > /var/tmp/product.secret")
        self.assertTrue(report(machine.shell))

    def install(self, machine):
        self.assertEqual(machine.show("mosquitto", "ActiveState"), "active")
        machine.run("apt-get", "install", "-y", f"/var/tmp/{self.package.deb.name}")
        self.assertEqual(machine.show("lamplighter", "ActiveState"), "active", self.journal(machine))
        self.assertEqual(machine.show("mosquitto", "ActiveState"), "inactive")
        self.assertEqual(machine.show("lamplighter", "StatusText"), "accepts work")
        self.assertNotRegex(self.journal(machine), "reception only permitted|Operation not permitted|error|thread priority|Ctrl-C")

    def is_held(self, machine):
        """Asserts that the unit's limits hold for the service and the broker."""
        pids = machine.shell("pgrep -u lamplighter").split()
        self.assertEqual(len(pids), 2)
        for pid in pids:
            status = machine.shell(f"cat /proc/{pid}/status")
            for line in ("NoNewPrivs:\t1", "Seccomp:\t2", "CapBnd:\t" + "0" * 16):
                self.assertIn(line, status)
        self.assertNotEqual(machine.run("runuser", "-u", "nobody", "--", "lamplighterctl", "doctor", check=False).returncode, 0)
        doctor = machine.run("lamplighterctl", "doctor", check=False)
        self.assertIn(doctor.returncode, (0, 3), doctor.stdout)

    def writes_only_where_it_may(self, machine):
        """Asserts that the service can write only to its data directory, the backup directory and its private
        /var/tmp."""
        machine.shell("install -d -m 0700 -o lamplighter -g lamplighter /var/backups/lamplighter; systemctl restart lamplighter")
        inside = f"nsenter --target {machine.show('lamplighter', 'MainPID')} --mount"
        for folder, code in (("/var/lib/lamplighter", 0), ("/var/backups/lamplighter", 0), ("/etc", 1), ("/var/tmp", 0), ("/usr", 1)):
            done = machine.run("bash", "-c", f"{inside} touch {folder}/probe && {inside} rm {folder}/probe", check=False)
            self.assertEqual(done.returncode, code, f"{folder}: {done.stdout}")
        machine.shell("rmdir /var/backups/lamplighter")

    def hangs_and_comes_back(self, machine):
        machine.shell("mkdir -p /run/systemd/system/lamplighter.service.d; cd /run/systemd/system/lamplighter.service.d;"
                      "printf '[Service]\\nWatchdogSec=4\\n' > w.conf; systemctl daemon-reload; systemctl restart lamplighter")
        pid = machine.show("lamplighter", "MainPID")
        machine.shell("sleep 6")  # longer than the watchdog waits
        self.assertEqual(machine.show("lamplighter", "MainPID"), pid)
        machine.run("kill", "-STOP", pid)
        eventually(lambda: machine.show("lamplighter", "NRestarts") != "0", 30, "the restart of a service that hangs")
        self.is_active(machine)
        machine.shell("rm -r /run/systemd/system/lamplighter.service.d; systemctl daemon-reload")
        self.assertTrue(report(machine.shell))

    def upgrade(self, machine):
        machine.shell(f"sed -i 's/level: notice/level: info/' /{CONFIG}")
        pid = machine.show("lamplighter", "MainPID")
        machine.run("apt-get", "install", "-y", f"/var/tmp/{self.next.deb.name}")
        self.is_active(machine)
        self.assertNotEqual(machine.show("lamplighter", "MainPID"), pid)
        self.assertIn("level: info", (self.debian.root / CONFIG).read_text())
        self.assertTrue(report(machine.shell))

    def comes_with_the_machine(self, machine):
        """Asserts that the service starts, and that Debian's unchanged broker doesn't start."""
        self.is_active(machine)
        self.assertEqual(machine.show("mosquitto", "ActiveState"), "inactive")
        self.assertEqual(machine.show("mosquitto", "Result"), "exec-condition")
        self.assertEqual(machine.shell("systemctl --failed --no-legend --plain | grep -E 'lamplighter|mosquitto' || true"), "")
        self.assertTrue(report(machine.shell))

    def serves_beside_debians_broker(self, machine):
        """Runs the unit lamplighter-serve, with Debian's Mosquitto set up as in the package's examples."""
        machine.shell("""
            systemctl disable --now lamplighter
            cd /usr/share/doc/lamplighter/examples
            cp -r systemd/mosquitto.service.d /etc/systemd/system/
            hash=$(printf %s "$(cat /var/lib/lamplighter/service.secret)" | sha256sum | cut -d ' ' -f 1)
            sed -e "s/FILL_IN_64_HEX_DIGITS/$hash/" -e '/^# Devices and apps from outside/,$d' mosquitto/lamplighter.conf \\
                > /etc/mosquitto/conf.d/lamplighter.conf
            cp /etc/mosquitto/mosquitto.conf /var/tmp/mosquitto.conf
            echo 'include_dir /etc/mosquitto/conf.d' > /etc/mosquitto/mosquitto.conf
            systemctl mask --runtime --now mosquitto
            systemctl daemon-reload
            systemctl enable --now lamplighter-serve""")
        self.assertEqual(machine.show("lamplighter-serve", "ActiveState"), "active")
        eventually(lambda: re.match("waits for .*worker", machine.show("lamplighter-serve", "StatusText")), 10,
                   "the loss of the broker")
        machine.shell("systemctl unmask --runtime mosquitto; systemctl start mosquitto")
        eventually(lambda: machine.show("lamplighter-serve", "StatusText") == "accepts work", 60, "the broker's gate")
        self.assertTrue(report(machine.shell))
        machine.shell("""
            systemctl disable --now lamplighter-serve
            systemctl stop mosquitto
            rm -r /etc/mosquitto/conf.d/lamplighter.conf /etc/systemd/system/mosquitto.service.d
            mv /var/tmp/mosquitto.conf /etc/mosquitto/mosquitto.conf
            chown mosquitto: /var/log/mosquitto
            systemctl enable --now lamplighter""")

    def goes(self, machine):
        machine.run("apt-get", "remove", "-y", "lamplighter")
        self.assertEqual(machine.shell("pgrep -u lamplighter || true"), "")
        self.assertTrue((self.debian.root / "var/lib/lamplighter/lamplighter.db").exists())
        # The reinstalled package finds the data that was there before the removal.
        machine.run("apt-get", "install", "-y", f"/var/tmp/{self.next.deb.name}")
        self.is_active(machine)
        self.assertTrue(report(machine.shell))
        machine.run("apt-get", "purge", "-y", "lamplighter")
        self.assertTrue((self.debian.root / "var/lib/lamplighter/lamplighter.db").exists())
        machine.shell("rm -r /var/lib/lamplighter && deluser --system lamplighter")
        self.assertEqual(machine.shell("systemctl list-unit-files --no-legend 'lamplighter*'", check=False), "")
        machine.shell("rm /var/tmp/did /var/tmp/device.secret /var/tmp/product.secret; rm -rf /var/tmp/.config")

    def is_active(self, machine):
        eventually(lambda: machine.show("lamplighter", "StatusText") == "accepts work"
                   and machine.show("lamplighter", "ActiveState") == "active", 60, "the service")

    def journal(self, machine):
        return machine.run("journalctl", "--unit", "lamplighter", "--no-pager", "--output", "cat").stdout


def status_of(pid):
    """Returns the fields of a process's status."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return dict(re.findall(r"^(\w+):\s+(.*)$", file.read(), re.M))


if __name__ == "__main__":
    unittest.main()
