"""The packages under test, and folders with Debian systems in which the tests install the packages.

LAMPLIGHTER_BUILD     the folder of the program and the gate (.build/debug)
LAMPLIGHTER_PACKAGES  1: runs tests that make a Debian, which needs root, a network and some minutes
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("LAMPLIGHTER_BUILD", ROOT / ".build/debug")).resolve()
IS_LONG = os.environ.get("LAMPLIGHTER_PACKAGES") == "1"
VERSION = re.search(r'text = "([^"]+)"', (ROOT / "Sources/Service/Version.swift").read_text())[1]
BOOT_SECONDS = 60
# A debug build contains the path of the toolchain's Swift runtime. A package's programs must not contain this path. The
# tests set `LD_LIBRARY_PATH` to the path instead.
LIBRARIES = subprocess.run(["ldd", BUILD / "lamplighter"], capture_output=True, text=True, check=False).stdout
IS_STATIC = "libswiftCore.so" not in LIBRARIES
RUNTIME = {} if IS_STATIC else {"LD_LIBRARY_PATH": re.search(r"=> (\S+)/libswiftCore\.so", LIBRARIES)[1]}


def run(*words, check=True, **options):
    """Runs a program, and returns standard output and standard error as one text."""
    done = subprocess.run(
        [str(word) for word in words], stdin=options.pop("stdin", subprocess.DEVNULL),
        env={**options.pop("env", os.environ), **RUNTIME},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if check and done.returncode != 0:
        raise AssertionError(f"{words} ended with {done.returncode}: {done.stdout[-3000:]}")
    return done


def eventually(probe, seconds, what):
    """Calls the probe until it returns a true value, and returns this value."""
    deadline = time.monotonic() + seconds
    while not (value := probe()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not come true within {seconds} s")
        time.sleep(0.1)
    return value


class Packages:
    """A Debian package and a tarball of the build under test, made by deploy/package."""

    def __init__(self, suffix="", *options):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lamplighter-packages-"))
        suffixes = ("--suffix", suffix) if suffix else ()
        run(ROOT / "deploy/package", "--fast", "--from", BUILD, "--out", self.folder, *suffixes, *options)
        self.version = VERSION + suffix
        self.deb, = self.folder.glob("*.deb")
        self.tarball, = self.folder.glob("*.tar.gz")

    def field(self, name):
        return run("dpkg-deb", "--field", self.deb, name).stdout.strip()

    def close(self):
        shutil.rmtree(self.folder)


class Debian:
    """A folder that contains this machine's Debian release and, if a package is given, the package's
    dependencies."""

    def __init__(self, package=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lamplighter-debian-"))
        os.chmod(self.folder, 0o755)
        self.root = self.folder / "root"
        try:
            release = re.search(r"^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text(), re.M)[1]
            run("debootstrap", "--variant=minbase", release, self.root)
            shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
            # As in Debian's images, this file keeps packages from starting services under `chroot`.
            self.write("usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n", 0o755)
            if package:
                self.enter("apt-get", "satisfy", "-y", "-qq", "--no-install-recommends", package.field("Depends"))
                self.enter("apt-get", "install", "-y", "-qq", "--no-install-recommends",
                           "mosquitto-clients", "systemd-sysv", "dbus", "procps")
                (self.root / "usr/sbin/policy-rc.d").unlink()
        except BaseException:
            self.close()
            raise

    def enter(self, *words, check=True, **options):
        """Runs a program in the folder."""
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        return run("chroot", self.root, *words, check=check, env=environment, **options)

    def write(self, path, text, mode=0o644):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        target.chmod(mode)

    def snapshot(self):
        """Returns the users, and all files with their modes and owners.

        The result omits files that apt, dpkg or a running system writes.
        """
        moving = re.compile(
            r"^(var/(log|cache|lib/(apt|dpkg|systemd|mosquitto/mosquitto\.db))|tmp|root|run|proc|sys|dev|var/tmp"
            r"|etc/(machine-id|hostname|resolv\.conf|mtab|\.updated|\.pwd\.lock|ld\.so\.cache|(passwd|group|shadow|gshadow)-?)"
            r"|var/\.updated|var/lib/private)(/|$)")
        found = set()
        for path in self.root.rglob("*"):
            name = path.relative_to(self.root).as_posix()
            if not moving.match(name):
                status = path.lstat()
                found.add((name, oct(status.st_mode), status.st_uid))
        for file in ("passwd", "group"):
            found |= {(file, line) for line in (self.root / "etc" / file).read_text().splitlines()}
        return found

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class Machine:
    """A booted Debian system with systemd and an isolated network."""

    def __init__(self, debian):
        self.debian = debian
        self.process = None

    def boot(self):
        self.log = open(self.debian.folder / "boot.log", "ab")
        self.process = subprocess.Popen(
            ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network", "--link-journal=no",
             "--directory", str(self.debian.root), "--boot"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True)
        eventually(self._is_up, BOOT_SECONDS, "the boot")
        return self

    def _is_up(self):
        if self.process.poll() is not None:
            raise AssertionError(pathlib.Path(self.log.name).read_text(errors="replace")[-3000:])
        try:
            children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        except FileNotFoundError:
            return False
        if not children:
            return False
        self.leader = children[0]
        state = self.run("systemctl", "is-system-running", check=False).stdout.strip()
        return state in ("running", "degraded")

    def run(self, *words, check=True, **options):
        """Runs a program in the machine, as root."""
        return run("nsenter", "--target", self.leader, "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup",
                   "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive",
                   *words, check=check, **options)

    def shell(self, script, check=True, **options):
        return self.run("bash", "-euc", script, check=check, **options).stdout.strip()

    def show(self, unit, name):
        return self.run("systemctl", "show", "--value", "--property", name, unit).stdout.strip()

    def halt(self):
        """Shuts the machine down, as a user would do."""
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(BOOT_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None
        self.log.close()
