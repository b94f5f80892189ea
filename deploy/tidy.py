"""Checks what the formatter can't: documentation of `package` declarations, import borders, unsafe words.

Prints long files and functions as a hint; only the rest fails.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DECLARATION = re.compile(
    r"^\s*package\s+(?:(?:static|final|mutating|consuming|borrowing|indirect|nonisolated)\s+)*"
    r"(?:struct|class|enum|protocol|actor|func|typealias)\s+(\S+)"
)
# What a protocol asks for is described there: of other packages these, of our own those found in the sources.
WITNESSES = ("==", "<", "hash", "encode", "accepts", "log", "run", "handle", "make", "destroy")
BORDERS = {
    "CCurl": ("Sources/Providers",),
    "CMosquitto": ("Sources/Mosquitto", "Tests/MosquittoTests"),
    "CMosquittoBroker": ("Sources/Gate", "Tests/GateTests"),
    "CQREncode": ("Sources/QRCode",),
    "CSodium": ("Sources/Sodium", "Sources/Gate", "Tests/GateTests"),
    "GRDB": ("Sources/Storage", "Tests/StorageTests"),
}
UNSAFE = re.compile(r"@unchecked Sendable|nonisolated\(unsafe\)|\btry!|\bfatalError\(")
IMPORT = re.compile(r"^\s*(?:package |private |internal |@\w+ )*import (?:\w+ )?(\w+)")

REQUIREMENT = re.compile(r"^\s+(?:mutating |static )*func (\w+)")

failures: list[str] = []
hints: list[str] = []


def is_documented(lines: list[str], index: int) -> bool:
    """True when a doc comment or an attribute stands right above a line."""
    above = lines[index - 1].strip() if index else ""
    return above.startswith(("///", "@")) or above.endswith("*/")


def requirements(paths: list[pathlib.Path]) -> set[str]:
    """The names of the functions that our own protocols ask for."""
    names = set()
    for path in paths:
        inside = False
        for line in path.read_text(encoding="utf-8").splitlines():
            inside = (inside and line != "}") or line.startswith(("package protocol", "protocol"))
            found = REQUIREMENT.match(line) if inside else None
            if found:
                names.add(found[1])
    return names


def check(path: pathlib.Path, witnesses: tuple[str, ...]) -> None:
    name = path.relative_to(ROOT).as_posix()
    lines = path.read_text(encoding="utf-8").splitlines()
    if len(lines) > 400:
        hints.append(f"{name}: {len(lines)} lines")
    for index, line in enumerate(lines):
        place = f"{name}:{index + 1}"
        found = DECLARATION.match(line)
        if found and not is_documented(lines, index) and not found[1].startswith(witnesses):
            failures.append(f"{place}: no doc comment: {line.strip()}")
        module = IMPORT.match(line)
        if module and module[1] in BORDERS and not name.startswith(BORDERS[module[1]]):
            failures.append(f"{place}: {module[1]} may be imported in {BORDERS[module[1]]} only")
        code = line.split("//")[0]
        if UNSAFE.search(code) and "//" not in line and not lines[index - 1].strip().startswith("//"):
            failures.append(f"{place}: needs a reason beside it: {line.strip()}")
        if re.search(r"\b(?:TODO|FIXME)\b(?!.*#\d)", line):
            failures.append(f"{place}: a TODO needs an issue: {line.strip()}")


def main() -> int:
    files = sorted(p for top in ("Sources", "Tests") for p in (ROOT / top).rglob("*.swift"))
    witnesses = WITNESSES + tuple(name + "(" for name in requirements(files))
    for path in files:
        check(path, witnesses)
    for hint in hints:
        print(f"hint: {hint}")
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{len(files)} files, {len(failures)} to mend")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
