"""A browser without scripts that fetches the service's pages and sends forms."""

import html.parser
import http.client
import re
import urllib.parse


class _Forms(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.forms, self.language, self.scripts = [], None, 0

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if tag == "html":
            self.language = a.get("lang")
        elif tag == "script":
            self.scripts += 1
        elif tag == "form":
            self.forms.append({"action": a.get("action", ""), "method": a.get("method", "get").upper(), "fields": {}})
        elif tag == "input" and self.forms and a.get("name"):
            self.forms[-1]["fields"][a["name"]] = (a.get("type", "text"), a.get("value", ""))


class Page:
    """One answer: status, headers, text, and forms."""

    def __init__(self, url, response):
        self.url, self.status = url, response.status
        self.headers = {k.lower(): v for k, v in response.getheaders()}
        self.text = response.read().decode("utf-8", "replace")
        parser = _Forms()
        parser.feed(self.text)
        self.forms, self.language, self.scripts = parser.forms, parser.language, parser.scripts

    def send(self, password=None, **changed):
        """Fills in the first form (every password field with the password) and sends it."""
        form = self.forms[0]
        values = {name: value for name, (kind, value) in form["fields"].items()}
        for name, (kind, _) in form["fields"].items():
            if kind == "password":
                values[name] = password
        values.update(changed)
        return fetch(urllib.parse.urljoin(self.url, form["action"]), form["method"], values)


def local(url, port):
    """Returns the address with its scheme, host and port replaced by those of this test's service."""
    return re.sub(r"^https?://[^/]+", f"http://127.0.0.1:{port}", url)


def fetch(url, method="GET", values=None, headers=None, raw=None):
    """Sends a request and returns the page, after redirections."""
    for _ in range(5):
        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
        body = urllib.parse.urlencode(values) if values is not None else None
        kind = {"Content-Type": "application/x-www-form-urlencoded"} if body is not None else {}
        connection.request(
            method, parts.path + (f"?{parts.query}" if parts.query else ""), raw or body, {**kind, **(headers or {})})
        page = Page(url, connection.getresponse())
        connection.close()
        if page.status not in (301, 302, 303, 307):
            return page
        url, method, values = urllib.parse.urljoin(url, page.headers["location"]), "GET", None
    raise AssertionError("redirected for ever")
