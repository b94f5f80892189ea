"""A local web server for the browser, with pages from folders or texts."""

import http.server
import pathlib
import threading

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8"}


class Pages:
    """A web server that looks for a request's whole path in `texts`, and then for its first part in `folders`."""

    def __init__(self, folders, texts):
        self.folders = {name: pathlib.Path(folder).resolve() for name, folder in folders.items()}
        self.texts = texts
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                found = outer.find(self.path.lstrip("/"))
                self.send_response(404 if found is None else 200)
                self.send_header("Content-Type", TYPES.get(pathlib.Path(self.path).suffix, TYPES[".html"]))
                self.end_headers()
                self.wfile.write(found or b"")

            def log_message(self, *_arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def find(self, path):
        """Returns the bytes at a path, or None if there is no page at this path."""
        if path in self.texts:
            return self.texts[path].encode()
        folder, _, rest = path.partition("/")
        if folder not in self.folders:
            return None
        file = (self.folders[folder] / rest).resolve()
        return file.read_bytes() if self.folders[folder] in file.parents and file.is_file() else None

    def close(self):
        self.server.shutdown()
        self.server.server_close()
