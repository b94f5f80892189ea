"""axe finds no barrier in the service's public pages, including its reference.

test_console_browser checks the console's pages, and test_playground checks the playground. LAMPLIGHTER_LONG=1 checks
every page of the reference. Other runs check only pages with special content.
"""

import re
import unittest
import urllib.request

from harness import LONG
from webpage import Chromium, barriers
from world import EndToEnd

# These pages have diagrams, wide tables, examples, a method, and a list of errors.
SLICE = ["index.html", "sessions.html", "settings.html", "examples.html", "service-device.html", "errors.html"]


class Barriers(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Chromium()
        cls.addClassCleanup(cls.browser.close)

    def reference(self, site):
        """Returns the paths of all pages reachable from the reference's first page."""
        names, waiting = set(), ["index.html"]
        while waiting:
            name = waiting.pop()
            names.add(name)
            with urllib.request.urlopen(f"{site}/docs/{name}", timeout=10) as answer:
                found = set(re.findall(r'href="([a-z-]+\.html)', answer.read().decode()))
            waiting += found - names - set(waiting)
        self.assertLessEqual(set(SLICE), names)
        return [f"/docs/{name}" for name in (sorted(names - {"try.html"}) if LONG else SLICE)]

    def test_no_page_has_an_accessibility_fault_wide_or_narrow_light_or_dark(self):
        site = f"http://127.0.0.1:{self.world.service.http_port}"
        found = []
        for width in (1400, 390):
            for scheme in ("light", "dark"):
                visitor = self.browser.visitor(width=width, height=844, scheme=scheme)
                page = visitor.context.new_page()
                for path in ["/", "/nothing", *self.reference(site)]:
                    page.goto(site + path)
                    found += [f"{path}, {width} px, {scheme}: {one}" for one in barriers(page)]
                visitor.context.close()
        self.assertEqual(found, [])

    def test_the_first_page_links_to_console_reference_examples_and_playground(self):
        site = f"http://127.0.0.1:{self.world.service.http_port}"
        visitor = self.browser.visitor()
        page = visitor.context.new_page()
        page.goto(site + "/")
        places = [link.evaluate("a => a.href") for link in page.query_selector_all("main a")]
        console = self.world.service.ready["consoleUrl"].rstrip("/") + "/console/"
        self.assertEqual(places, [console, f"{site}/docs/try.html", f"{site}/docs/", f"{site}/docs/examples.html"])
        for place in places:
            self.assertEqual(page.goto(place).status, 200, place)
        visitor.context.close()


if __name__ == "__main__":
    unittest.main()
