"""Random requests of the OpenAPI document get no internal errors and only documented answers."""

import os
import subprocess
import unittest

import contract
import tools
from client import fresh_id
from harness import LONG, ROOT, TOPICS
from test_http import HTTPTerminal
from world import World

EXAMPLES = int(os.environ.get("OPENAPI_EXAMPLES") or (50 if LONG else 1))
SEED = "39"
DOCUMENT = contract.SCHEMAS / "generated" / "openapi-app.yaml"
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
# The first two operations end the caller's session. The last two answer with streams that never end.
LEFT_OUT = [f"/{TOPICS}/request/account/logout", f"/{TOPICS}/request/account/cancel", f"/{TOPICS}/stream", f"/{TOPICS}/events"]


class Documented(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World(watch=False)
        cls.addClassCleanup(cls.world.close)

    def schemathesis(self, token, uid=None):
        """Lets Schemathesis send random requests with a token, and fails if its report lists failures."""
        hooks = ROOT / "Tests" / "EndToEnd" / "openapi_hooks.py"
        done = subprocess.run(
            [tools.python(), "-m", "schemathesis.cli", "run", str(DOCUMENT), "--url", f"http://127.0.0.1:{self.world.service.http_port}",
             "-H", f"Authorization: Bearer {token}", "--checks", CHECKS, "--phases", "examples,fuzzing",
             "--max-examples", str(EXAMPLES), "--seed", SEED, "--mode", "all", "--no-color", "--generation-database", "none",
             "--suppress-health-check", "all", *(word for path in LEFT_OUT for word in ("--exclude-path", path))],
            capture_output=True, text=True, timeout=3600, cwd=self.world.service.holder,
            env={**os.environ, "SCHEMATHESIS_HOOKS": str(hooks), **({"CALLED_FOR": uid} if uid else {})})
        report = done.stdout + done.stderr
        # Schemathesis can't create bodies if their schema has conditions (`loginWithProvider`, `linkProvider`). The
        # report of Schemathesis may contain only this problem.
        self.assertNotIn("Failures:", report, report[-20_000:])
        self.assertIn("Test cases:", report, report[-20_000:])
        print(f"({report.partition('Test cases:')[2].split('Seed')[0].strip()}) ", end="", flush=True)
        return report

    def test_with_a_session(self):
        app = HTTPTerminal(self.world).login()
        app.get("account/whoami")
        self.assertNotIn("Unresolvable", self.schemathesis(app.token))
        app.get("account/whoami")

    def test_with_a_key(self):
        user = HTTPTerminal(self.world).login()
        uid = user.get("account/whoami")["user"]["uid"]
        made = self.world.service.json(
            "key", "add", fresh_id("server"), "--app", "test-app", "--scope", "events", "device", "home", "share", "schedule", "account")
        self.schemathesis(made["key"], uid)


if __name__ == "__main__":
    unittest.main()
