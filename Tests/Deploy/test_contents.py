"""Tests of the packages' contents and the unpacked program, in under a minute."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

from packages import BUILD, IS_LONG, IS_STATIC, ROOT, RUNTIME, VERSION, Packages, eventually, run

UNITS = sorted((ROOT / "deploy/systemd").glob("*.service"))
EXPOSURE_MAX = 15  # in tenths of the exposure level of `systemd-analyze security`


class Contents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.packages = Packages()
        cls.addClassCleanup(cls.packages.close)
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="lamplighter-contents-"))
        cls.addClassCleanup(shutil.rmtree, cls.root)
        run("dpkg-deb", "--extract", cls.packages.deb, cls.root / "deb")
        (cls.root / "tar").mkdir()
        run("tar", "-xzf", cls.packages.tarball, "-C", cls.root / "tar", "--strip-components=1")

    def binaries(self):
        for folder in (self.root / "deb/usr", self.root / "tar"):
            yield folder / "bin/lamplighter"
            yield folder / "lib/lamplighter/libLamplighterGate.so"

    def test_the_version_is_that_of_the_program(self):
        self.assertEqual(self.packages.field("Version"), VERSION)
        self.assertEqual(self.packages.deb.name, f"lamplighter_{VERSION}_{self.packages.field('Architecture')}.deb")
        for folder in ("deb/usr", "tar"):
            self.assertEqual(run(self.root / folder / "bin/lamplighter", "version").stdout, f"lamplighter {VERSION}\n")

    def test_nothing_refers_to_the_machine_that_built_it(self):
        for path in self.binaries():
            with self.subTest(path=path.name):
                sections = run("readelf", "--dynamic", "--sections", "--wide", path).stdout
                self.assertNotRegex(sections, r"RUNPATH|RPATH|\.symtab|\.debug_info")
                if IS_STATIC:
                    self.assertNotRegex(sections, r"NEEDED.*libswift|NEEDED.*libFoundation|NEEDED.*libdispatch")

    def test_no_function_replaces_one_of_the_system(self):
        for path in self.binaries():
            with self.subTest(path=path.name):
                lines = run("nm", "--dynamic", "--defined-only", path).stdout.splitlines()
                names = {line.split()[-1].split("@")[0] for line in lines}
                self.assertEqual(names & {"close", "poll", "read", "recv", "send", "write"}, set())

    def test_every_library_is_a_dependency(self):
        depends = self.packages.field("Depends")
        for library in ("libc6", "libcurl4", "libmosquitto1", "libpq5", "libqrencode4", "libsodium23", "libsqlite3-0", "zlib1g", "mosquitto"):
            self.assertRegex(depends, rf"\b{library} \(>= ")

    def test_lintian_reports_nothing(self):
        done = run("lintian", "--allow-root", "--fail-on", "error,warning", self.packages.deb, check=False)
        faults = [line for line in done.stdout.splitlines() if line.startswith(("E:", "W:"))]
        if BUILD.name == "debug":  # Only the optimized program is relocatable.
            faults = [line for line in faults if "hardening-no-pie [usr/bin/lamplighter]" not in line]
        self.assertEqual(faults, [], done.stdout)

    def test_the_overrides_are_used_and_have_reasons(self):
        lines = (ROOT / "deploy/debian/lintian-overrides").read_text().splitlines()
        for before, line in zip(["", *lines], lines):
            if line and not line.startswith("#"):
                self.assertTrue(before.startswith("# "), line)
        done = run("lintian", "--allow-root", "--info", "--show-overrides", self.packages.deb, check=False)
        self.assertNotIn("unused-override", done.stdout)

    def test_the_manual_pages_are_well_formed_and_complete(self):
        pages = sorted((self.root / "deb/usr/share/man").rglob("*.gz"))
        self.assertEqual([page.name for page in pages],
                         ["lamplighter.1.gz", "lamplighter.yaml.5.gz", "lamplighterctl.8.gz"])
        for page in pages:
            done = run("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", page, env=os.environ | {"LC_ALL": "C.UTF-8"})
            self.assertNotIn("warning:", done.stdout)
        text = run("man", "-l", "-Tutf8", pages[0], env=os.environ | {"LC_ALL": "C.UTF-8"}).stdout
        text = re.sub(".\b", "", text)  # bold and underlined letters are overstruck
        for words in ("device list", "simulate", "--quick", "--mqtt-port"):
            self.assertTrue(words in text, words)

    def test_completions_are_complete_and_valid_in_their_shells(self):
        share = self.root / "deb/usr/share"
        scripts = {"bash": share / "bash-completion/completions/lamplighter",
                   "zsh": share / "zsh/vendor-completions/_lamplighter",
                   "fish": share / "fish/vendor_completions.d/lamplighter.fish"}
        for shell, path in scripts.items():
            self.assertIn("deadletter", path.read_text())
            if shutil.which(shell):
                run(shell, "-n", path)

    def test_the_reference_is_included_and_needs_no_network(self):
        for folder in (self.root / "deb/usr/share/doc/lamplighter/html", self.root / "tar/share/doc/lamplighter/html"):
            start = (folder / "index.html").read_text()
            self.assertTrue((folder / "markdown").is_dir())
            self.assertNotRegex(start, r"""(?:src|<link[^>]*href)=["']https?:""")
            for link in re.findall(r'href="([^"#:]+\.html)', start):
                self.assertTrue((folder / link).exists(), link)
            for path in folder.rglob("*"):
                self.assertEqual(path.stat().st_mode & 0o777, 0o755 if path.is_dir() else 0o644, path)

    def test_clients_and_guides_are_included_and_every_link_works(self):
        for folder in (self.root / "deb/usr/share", self.root / "tar/share"):
            clients = folder / "lamplighter/clients"
            for path in ("c/lamplighter.h", "c/lamp.c", "js/lamplighter.js", "python/lamplighter/app.py", "python/pyproject.toml"):
                self.assertEqual((clients / path).read_bytes(), (ROOT / "clients" / path).read_bytes())
            self.assertFalse(list(clients.rglob("*.pyc")))
            pages = {path.stem for path in (folder / "doc/lamplighter/html").glob("guide-*.html")}
            guides = {f"guide-{path.stem}" for path in (ROOT / "docs/guides").glob("*.md") if path.stem != "README"}
            self.assertEqual(pages, guides)
        found = 0
        for path in [*(self.root / "tar").rglob("*.md"), *(self.root / "deb").rglob("*.md")]:
            if "markdown" in path.parts:
                continue  # test_reference.py checks the links of these files
            for link in re.findall(r"\]\((?!https?:)([^)#\s]+)", path.read_text()):
                found += 1
                with self.subTest(file=path.relative_to(self.root), link=link):
                    self.assertTrue((path.parent / link).exists())
        self.assertGreater(found, 15)

    def test_the_settings_file_offers_only_existing_settings(self):
        text = (self.root / "deb/etc/lamplighter/lamplighter.yaml").read_text()
        self.assertEqual((self.root / "tar/share/lamplighter/lamplighter.yaml").read_text(), text)
        offered = re.findall(r"(?m)^#([\w.]+: \S.*)$", text)
        self.assertGreaterEqual(len(offered), 10)
        whole = self.root / "offered.yaml"
        whole.write_text(text + "\n".join(offered) + "\n")
        # Notes about the environment can precede the line of JSON.
        rows = json.loads(run(self.root / "tar/bin/lamplighter", "config", "--json", "--config", whole).stdout.splitlines()[-1])["items"]
        values = {row["key"]: str(row["value"]) for row in rows}
        for line in offered:
            key, _, value = line.partition(": ")
            self.assertIn(value, values[key])

    def test_examples_of_the_manual_are_on_separate_lines(self):
        page = self.root / "deb/usr/share/man/man1/lamplighter.1.gz"
        text = re.sub(".\b", "", run("man", "-l", "-Tutf8", page, env=os.environ | {"LC_ALL": "C.UTF-8", "MANWIDTH": "100"}).stdout)
        self.assertRegex(text, r"(?m)^ +lamplighter simulate --devices 100 --rate 50\n +lamplighter simulate --app --duration 20$")

    def test_a_purge_keeps_the_data_and_says_so(self):
        for files, kept in (((), False), (("lamplighter.db", "server.key", "backups/one.backup"), True), (("server.key",), True)):
            with self.subTest(files=files), tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                (root / "var/lib/lamplighter/backups").mkdir(parents=True)
                (root / "etc/lamplighter/tls").mkdir(parents=True)
                for name in files:
                    (root / "var/lib/lamplighter" / name).write_text("x")
                (root / "bin").mkdir()
                for name in ("getent", "deluser", "systemctl", "deb-systemd-helper"):
                    (root / "bin" / name).write_text(f"#!/bin/sh\necho {name} \"$@\" >> {root}/called\n")
                    (root / "bin" / name).chmod(0o755)
                told = run("sh", ROOT / "deploy/debian/postrm", "purge",
                           env={"DPKG_ROOT": str(root), "PATH": f"{root}/bin:/usr/bin:/bin"}).stdout
                self.assertFalse((root / "etc/lamplighter").exists())
                self.assertEqual((root / "var/lib/lamplighter").exists(), kept)
                self.assertEqual("stay in" in told and f"rm -r {root}/var/lib/lamplighter" in told, kept)
                self.assertEqual("deluser" in (root / "called").read_text(), not kept)
                for name in files:
                    self.assertTrue((root / "var/lib/lamplighter" / name).exists())

    def test_bash_completes_commands_of_both_programs(self):
        folder = self.root / "deb/usr/share/bash-completion/completions"
        for name in ("lamplighter", "lamplighterctl"):
            text = (folder / name).read_text().replace("/usr/share/bash-completion/completions", str(folder))
            script = f"""{text}
                complete -p {name} >&2
                COMP_WORDS=({name} device l) COMP_CWORD=2 COMP_LINE="{name} device l" COMP_POINT=99
                _lamplighter {name} l device
                echo "${{COMPREPLY[@]}}" """
            self.assertEqual(run("bash", "-c", script).stdout.splitlines(),
                             [f"complete -o filenames -F _lamplighter {name}", "list label"])

    def test_the_copyright_file_names_every_included_package(self):
        text = (self.root / "deb/usr/share/doc/lamplighter/copyright").read_text().lower()
        resolved = ROOT / "Package.resolved"
        if not resolved.exists():
            self.skipTest("the packages are not resolved")
        for pin in json.loads(resolved.read_text())["pins"]:
            self.assertIn(f"{pin['identity']}/", text)

    @unittest.skipUnless(IS_LONG, "packs twice: with deploy/test --packages")
    def test_the_same_build_gives_the_same_bytes(self):
        again = Packages()
        self.addCleanup(again.close)
        for one, other in ((self.packages.deb, again.deb), (self.packages.tarball, again.tarball)):
            self.assertEqual(run("sha256sum", one).stdout.split()[0], run("sha256sum", other).stdout.split()[0])

    def test_the_tarball_runs_where_it_was_unpacked_and_ends_well(self):
        data = self.root / "data"
        log = open(self.root / "log", "wb")
        self.addCleanup(log.close)
        process = subprocess.Popen(
            [str(self.root / "tar/bin/lamplighter"), "up", "--no-demo", "--data", str(data),
             "--mqtt-port", "0", "--http-port", "0", "--health-port", "0"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={"PATH": os.environ["PATH"], **RUNTIME})
        self.addCleanup(process.kill)
        eventually(lambda: (data / "ready.json").exists() or process.poll() is not None, 30, "readiness")
        plan = (data / "broker/mosquitto.conf").read_text()
        self.assertIn(f"plugin {self.root}/tar/lib/lamplighter/libLamplighterGate.so", plan)
        began = time.monotonic()
        run(self.root / "tar/bin/lamplighter", "doctor", "--quick", "--data", data)
        self.assertLess(time.monotonic() - began, 2)
        process.terminate()
        self.assertEqual(process.wait(10), 0, (self.root / "log").read_text())

    def test_the_tarball_says_how_to_install_it(self):
        text = (self.root / "tar/INSTALL").read_text()
        self.assertIn("libsodium23 libsqlite3-0", text)
        self.assertNotIn("@", text)
        for unit in (self.root / "tar/systemd").glob("*.service"):
            self.assertIn("ExecStart=/usr/local/bin/lamplighter ", unit.read_text())

    def test_alert_rules_and_dashboard_are_included(self):
        for folder in ("deb/usr/share/doc/lamplighter/examples", "tar/deploy"):
            for path in ("prometheus/prometheus.yml", "prometheus/lamplighter.rules.yml", "grafana/lamplighter.json"):
                with self.subTest(folder=folder, path=path):
                    self.assertEqual((self.root / folder / path).read_bytes(), (ROOT / "deploy" / path).read_bytes())

    def test_an_option_that_does_not_exist_is_refused(self):
        done = run(ROOT / "deploy/package", "--form", "x", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("unknown option --form", done.stdout)

    @unittest.skipUnless((BUILD / "CrashProbe").exists(), "the build has no program without the Swift runtime inside")
    def test_a_program_that_needs_a_toolchain_is_not_packaged(self):
        build = self.root / "build"
        build.mkdir()
        (build / "lamplighter").symlink_to(BUILD / "CrashProbe")
        (build / "libLamplighterGate.so").symlink_to(BUILD / "libLamplighterGate.so")
        done = run(ROOT / "deploy/package", "--from", build, "--out", self.root / "none", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("needs a Swift toolchain", done.stdout)


class Units(unittest.TestCase):
    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
    def test_a_compromised_service_has_few_rights(self):
        for unit in UNITS:
            with self.subTest(unit=unit.name):
                run("systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE_MAX}", unit)

    def test_systemd_is_informed_of_the_service_state(self):
        for unit in UNITS:
            lines = unit.read_text().splitlines()
            self.assertIn("User=lamplighter", lines, unit.name)
            # The last line, `LimitNICE`, keeps the message "Failed to set thread priority" out of the journal.
            for line in ("Type=notify", "NotifyAccess=main", "WatchdogSec=60", "LimitNICE=-4"):
                self.assertIn(line, lines, unit.name)


if __name__ == "__main__":
    unittest.main()
