"""The house rules: deploy/tidy.py finds each fault that it must find, and no other."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from packages import ROOT

# A path that exists only on one machine. It is joined from parts, so that this file doesn't contain the path.
HOME = "/".join(["", "home", "anna", "lamplighter"])

# Each fault consists of a file's path, the file's text, and the expected message.
FAULTS = [
    ("Sources/Workers/A.swift", 'let text = "SELECT did FROM device"', "SQL is written in Storage"),
    ("Sources/Service/A.swift", 'let text = "DELETE FROM outbox WHERE id = $1"', "SQL is written in Storage"),
    ("Sources/Domain/A.swift", 'let text = """\n    INSERT INTO device (did)\n    """', "SQL is written in Storage"),
    ("Sources/Workers/A.swift", "import JSON", "payloads are read and written in Wire"),
    ("Sources/Workers/A.swift", r'let text = "{\"id\":5}"', "JSON is written in Wire"),
    ("Sources/Domain/A.swift", 'let text = #"{"id":5}"#', "JSON is written in Wire"),
    ("Sources/Domain/A.swift", "/// Reads.\npackage enum AppCodec {}", "codecs of stored documents only"),
    ("Sources/Domain/Documents/A.swift", "/// Reads.\npackage enum ReportCodec {}", "codecs of stored documents only"),
    ("Sources/Domain/A.swift", 'let did = try Fields(object).text("did", length: 1...64)', "codecs of stored documents only"),
    ("Sources/Workers/A.swift", 'let did = try call.fields.text("did", length: 1...64)', "parameters are read in Wire"),
    ("Sources/Workers/A.swift", "func read(_ fields: Fields) {}", "parameters are read in Wire"),
    ("Sources/Workers/A.swift", "package struct A {}", "no doc comment"),
    ("Sources/Workers/A.swift", "/// Is there.\npackage struct A {\n    package func run2() {}\n}", "no doc comment"),
    ("Sources/Workers/A.swift", "/// Is there.\npackage struct A {\n    package init(one: Int) {}\n}", "no doc comment"),
    ("Sources/Workers/A.swift", "/// Is there.\npackage struct A {\n    package var one = 1\n}", "no doc comment"),
    ("Sources/Workers/A.swift", "/// Is there.\npackage struct A {\n    package private(set) var one = 1\n}", "no doc comment"),
    ("Sources/Workers/A.swift", "/// Is there.\npackage enum A {\n    package static let one = 1\n}", "no doc comment"),
    ("Sources/Workers/A.swift", "/// Is there.\npackage struct A {\n    package let id: Int\n}\n\nprotocol B {\n    var id: Int { get }\n}", "no doc comment"),
    ("Sources/Workers/A.swift", "func a(_ one: Int, _ two: Int, _ three: Int) {}", "label the third"),
    ("Sources/Workers/A.swift", "struct A {\n    init(\n        _ one: [Int],\n        _ two: (Int, Int),\n        _ three: Int\n    ) {}\n}", "label the third"),
    ("Sources/Workers/A.swift", "struct A {\n    subscript(_ one: Int, _ two: Int, _ three: Int) -> Int { 0 }\n}", "label the third"),
    ("Sources/Workers/A.swift", "let owed = OwedBook()", "a retired name"),
    ("Sources/Workers/A.swift", "func a(owed: inout Effects) {}", "a retired name"),
    ("Sources/Workers/A.swift", "struct Ask {}", "a retired name"),
    ("Tests/WorkersTests/A.swift", "struct StoreVisits {}", "a retired name"),
    ("Sources/Workers/A.swift", f'let path = "{HOME}"', "a path of one machine"),
    ("docs/guide.md", f"cd {HOME}", "a path of one machine"),
    ("Tests/EndToEnd/a.py", f"open('{HOME}')", "a path of one machine"),
    ("Sources/Workers/A.swift", "// TODO: later", "a TODO needs an issue"),
    ("Sources/Workers/A.swift", "/// Waits so many seconds.", "not plain English"),
    ("docs/guide.md", "Who waits is answered.", "not plain English"),
    ("Sources/Workers/A.swift", "struct A: @unchecked Sendable {}", "needs a reason beside it"),
    ("Sources/Workers/A.swift", "let a = try! b()", "needs a reason beside it"),
    ("Sources/Workers/A.swift", "import CSQLite", "may be imported in"),
    ("Sources/Gate/A.swift", "import CMosquitto", "may be imported in"),
    ("Sources/Libraries/CLinux/a.c", "int read(void);", "Sources hold no C"),
]


class Tidy(unittest.TestCase):
    def tidy(self, texts, script=None):
        """Returns the messages that tidy.py prints for a tree that contains only the given texts."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in texts.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text + "\n")
            (root / "deploy").mkdir(exist_ok=True)
            shutil.copy(ROOT / "deploy/tidy.py", root / "deploy/tidy.py")
            if script:
                text = (root / "deploy/tidy.py").read_text()
                self.assertIn(script[0], text)
                (root / "deploy/tidy.py").write_text(text.replace(*script))
            done = subprocess.run(
                [sys.executable, root / "deploy/tidy.py"], capture_output=True, text=True, timeout=60
            )
            return done.returncode, done.stderr.splitlines()

    def assertFound(self, said, fault):
        code, lines = said
        self.assertEqual(code, 1)
        self.assertEqual([fault in line for line in lines], [True], lines)

    def test_a_tree_without_faults_passes(self):
        good = {
            "Sources/Storage/A.swift": 'let text = "SELECT did FROM device"',
            "Sources/Domain/Documents/A.swift": "/// Reads.\npackage enum AppCodec {}",
            "Sources/Wire/A.swift": 'import JSON\nlet did = try fields.text("did", length: 1...64)',
            "Sources/Workers/A.swift": "/// Is there.\npackage struct A {\n    func a(_ one: Int, _ two: Int, three: Int) {}\n}",
            "Sources/Workers/B.swift": "struct B {\n    static let pageMax = 5\n    let rows = 5\n}",
            "Sources/Workers/C.swift": "struct C {\n    static let pageMax = 6\n}",
            "Sources/Workers/D.swift": "/// Is asked for.\nprotocol D {\n    var id: Int { get }\n}\n\nextension Int: D {\n    package var id: Int { self }\n}",
            "docs/guide.md": "cd /opt/lamplighter",
        }
        self.assertEqual(self.tidy(good), (0, []))

    def test_each_planted_fault_is_found(self):
        for name, text, fault in FAULTS:
            with self.subTest(name=name, text=text):
                self.assertFound(self.tidy({name: text}), fault)

    def test_a_folder_with_too_many_files_is_found(self):
        names = [f"Sources/Workers/A{number}.swift" for number in range(21)]

        self.assertFound(self.tidy(dict.fromkeys(names, "struct A {}")), "21 files in one folder")
        self.assertEqual(self.tidy(dict.fromkeys(names[1:], "struct A {}")), (0, []))

    def test_a_long_chain_of_libraries_is_found(self):
        def manifest(count):
            """Returns a manifest with a chain of `count` libraries and some unrelated targets."""
            libraries = "".join(
                f'''
        .target(
            name: "L{number}",
            dependencies: ["CLinux", "L1", "L{number - 1}", .product(name: "L{count}", package: "other")],
            swiftSettings: settings
        ),'''
                for number in range(2, count + 1)
            )
            return f'''
        .systemLibrary(name: "CLinux"),
        .target(name: "L1", swiftSettings: settings),{libraries}
        .target(name: "Kit", dependencies: ["L{count}"], path: "Tests/Kit"),
        .executableTarget(name: "tool", dependencies: ["L{count}"]),
        .testTarget(name: "L1Tests", dependencies: ["L{count}"]),'''

        self.assertFound(self.tidy({"Package.swift": manifest(8)}), "a chain of 8 libraries; 7 are allowed: L1, L2")
        self.assertEqual(self.tidy({"Package.swift": manifest(7)}), (0, []))

    def test_a_limit_that_is_defined_twice_is_found(self):
        texts = {
            "Sources/Workers/A.swift": "enum A {\n    static let pageMax = 1_000\n}",
            "Sources/Domain/B.swift": "enum B {\n    /// Rows.\n    package static let pageMax: Int64 = 1000\n}",
        }

        self.assertFound(self.tidy(texts), "pageMax = 1000 is defined 2 times")

    def test_a_long_first_page_is_found(self):
        for name, text, fault in (("CONTRIBUTING.md", "- A rule.\n" * 71, "72 lines; 70 are allowed"),
                                  ("CONTRIBUTING.md", "x" * 121, "CONTRIBUTING.md:1: 121 columns"),
                                  ("README.md", "A line.\n" * 201, "202 lines; 200 are allowed"),
                                  ("README.md", "x" * 121, "README.md:1: 121 columns")):
            with self.subTest(name=name, fault=fault):
                self.assertFound(self.tidy({name: text}), fault)
        self.assertEqual(self.tidy({"CONTRIBUTING.md": "x" * 120, "README.md": "x" * 120}), (0, []))

    def test_more_exceptions_than_allowed_are_found(self):
        more = '"Sources/A.swift": (' + ", ".join(f'"a{number}"' for number in range(20)) + ",),"

        self.assertFound(self.tidy({}, ("UNLABELLED = {", "UNLABELLED = {" + more)), "20 are allowed")


if __name__ == "__main__":
    unittest.main()
