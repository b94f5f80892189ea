"""Checks what the formatter can't: documentation, imports, names, sizes of folders, unsafe constructs.

For a long file the script only prints a hint. Every other finding makes the script fail. Tests/Deploy/test_tidy.py
makes each fault on purpose, and tests that the script finds it.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DECLARATION = re.compile(
    r"^\s*package\s+(?:(?:static|final|mutating|consuming|borrowing|indirect|nonisolated)\s+)*"
    r"(?:struct|class|enum|protocol|actor|func|typealias)\s+(\S+)"
)
INITIALISER = re.compile(r"^\s*package (?:convenience )?(?:init|subscript)\b[?]?")
PROPERTY = re.compile(
    r"^\s*package\s+(?:(?:private|fileprivate|internal)\(set\)\s+|(static|final|lazy|weak|nonisolated)\s+)*"
    r"(?:let|var)\s+(\w+)(.*)"
)
# Properties that are required by protocols of the standard library or of the logging library.
PROPERTY_WITNESSES = {"description", "debugDescription", "logLevel", "metadata", "metadataProvider"}
# Initialisers that are required by protocols of the standard library, of the logging library, or of Storage (columns).
INITIALISER_WITNESS = re.compile(r"\((?:\w+Literal|rawValue|metadataKey|_ column: Column\b)")
NAME = re.compile(r"\w+|[^\w(]+")
# Functions that protocols of other packages require. Functions that our own protocols require are found in the sources.
# Neither kind of function needs a doc comment, because the protocol documents the function.
WITNESSES = {
    *("==", "<", "hash", "encode", "accepts", "log", "run", "handle"),
    *("makeCounter", "makeMeter", "makeRecorder", "makeTimer"),
    *("destroyCounter", "destroyMeter", "destroyRecorder", "destroyTimer"),
}
BORDERS = {
    "CCurl": ("Sources/Providers", "Sources/Measuring/Bench/Events/BareCurl"),
    "CMosquitto": ("Sources/Libraries/Mosquitto", "Sources/Measuring/PlainSubscriber", "Tests/MosquittoTests"),
    "CMosquittoBroker": ("Sources/Gate", "Tests/GateTests"),
    "CPostgreSQL": ("Sources/Libraries/PostgreSQL", "Tests/PostgreSQLTests", "Tests/StorageTests/Postgres"),
    "CQREncode": ("Sources/Libraries/QRCode",),
    "CSodium": ("Sources/Libraries/Sodium", "Sources/Gate", "Tests/GateTests"),
    "CSQLite": ("Sources/Libraries/SQLite", "Sources/Storage"),
}
UNSAFE = re.compile(r"@unchecked Sendable|nonisolated\(unsafe\)|\btry!|\bfatalError\(")
IMPORT = re.compile(r"^\s*(?:package |private |internal |@\w+ )*import (?:\w+ )?(\w+)")

REQUIREMENT = re.compile(r"^\s+(?:mutating |static )*(func|var) (\w+)")

FILES_MAX = 20
# The texts that a newcomer reads first, each with its maximum number of lines and columns.
SHORT = {"CONTRIBUTING.md": (70, 120), "README.md": (200, 120)}
# Retired identifiers; the glossary (docs/contributing/words.md) has better words for them.
RETIRED = re.compile(
    r"\b(?:Owed|OwedBook|PutAside|putAside|apology|RequestDesk|CommandDesk|LinkDesk|DeliveryDesk|DeliveryService|"
    r"Aside|SlowLane|SlowQueue|SlowPool|Preparation|Mailbox|WaitingRoom|Guest|StoreVisits|DueRest|Neighbours|Bell|"
    r"takeCall|RollCall|noteMark|SessionLife|SessionFarewell|DeviceFarewell|Bonds|BondRules|formerBond|"
    r"DeviceLife|CommandCall|CommandPlace|CommandRoom|CommandOrder|CrowdQueue|HistoryTail|Round|Piece|strike|sorter|"
    r"rearrange|harden|heal|StampSource|scrub|Wish|Sight|Said|Matter|turnAway|RequestHearers|isStandIn|"
    r"ScheduleHandler|SchedulerHandler|ScheduleNews|Workplace|JSONGlance)\b"
    # These everyday words are refused only as the names of types, constants and variables.
    r"|\b(?:let|var|struct|enum|class|protocol) (?:owed|Ask|Standing|apology)\b|\bowed: inout\b"
)
# An SQL statement in a string. Only Storage may contain SQL statements.
SQL = re.compile(r"(?:\"|^)[ \t]*(?:SELECT .+ FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|PRAGMA \w+)", re.M)
# A path that exists only on a certain machine. The project must not depend on such paths. Tests of packages may contain
# them, because these tests create a separate system.
MACHINE = re.compile(r"(?<![\w.{}/$])/(?:work|home/\w+|root)/\w")
MACHINES = ("Tests/Deploy",)
# Phrases that are not natural English. The folder Tests is not checked, because test names may contain such phrases.
FOREIGN = re.compile(
    r"\bso many\b|(?<!there )\bis none\b|\bof one's own\b|\bfor people\b|\bis waited for\b|\banother one\b"
    # A sentence that begins with Who, unless the sentence is a question.
    r"|(?:^|[.:;] |[\"*] ?|// ?)Who (?![^?]*\?)"
)
# The suffixes of the text files, other than Swift files, that users or programs read.
TEXTS = (".c", ".conf", ".css", ".h", ".html", ".js", ".json", ".jsonl", ".md", ".py", ".service", ".sh", ".sql", ".ts", ".yaml", ".yml")
# A JSON object in a string.
JSON_TEXT = re.compile(r"\"\{\\\"|#\"\{\"")
# Domain's codecs for documents that are stored exactly as sent, and the type that reads the documents' members.
DOCUMENTS = ("AppCodec", "Fields", "ProductCodec", "ProfileCodec", "RefusalCodec")
CODEC = re.compile(r"^package (?:enum|struct) (\w+Codec|Fields)\b|\b(Fields)\(", re.M)
# The module Wire reads and writes payloads. In the workers, only these files may use JSON, because they store devices'
# values.
JSON_WORKERS = (
    "Sources/Workers/Devices/DeviceEntry+Info.swift",  # merges and stores a device's hardware
    "Sources/Workers/Status/HistoryAdditions.swift",  # stores the values of a report
)
# Code that reads a request's members by name. Only Wire may contain such code.
MEMBER = re.compile(r"\b[fF]ields\.(?!refuse\b)\w+\(\s*\"|\bFields\b(?! \{ request\.fields)")
# A limit with its default. If two files define limits of the same name and number, one of these limits is a duplicate.
LIMIT = re.compile(
    r"^\s*(?:package |private |fileprivate )?(?:static let|static var|var|let) "
    r"(\w*(?:Max|Min|Seconds|Milliseconds|Bytes|Days|Rows|hour|day))(?:: \w+)? = ([\d_]+(?: (?:<<|\*) [\d_]+)?|\.\w+\([\d_]+\))$",
    re.M,
)
# A library in Package.swift, with its dependencies. In the list of dependencies, the project's own targets are plain
# strings, and the products of other packages are calls of `.product`.
LIBRARY = re.compile(r"^ *\.target\(\s*name: \"(\w+)\"(.*?)(?=^ *\.\w*[tT]arget\(|^ *\.(?:plugin|systemLibrary)\(|\Z)", re.M | re.S)
DEPENDENCIES = re.compile(r"\bdependencies: \[(.*?)\]", re.S)
PRODUCT = re.compile(r"\.product\(.*?\)", re.S)
# The maximum length of a chain of libraries that each depend on the previous one. Such libraries are compiled one after
# another.
CHAIN_MAX = 7
FUNCTION = re.compile(r"\b(?:func\s+([^\s(<]+)|init|subscript)[?]?\s*(?:<[^(]*>)?\(")
# The functions that may have three or more unlabelled parameters, each with the reason. C has no parameter labels. If a
# function is called from C, its reason only names the caller.
UNLABELLED = {
    "Sources/Administration/Operations/Operation.swift": ("init",),  # each call is a row of a table: id, method, path
    "Sources/Administration/Operations/Refused.swift": ("init",),  # each call names a problem: status, code, words
    "Sources/GatePlugin/EntryPoints.swift": ("pluginInit", "pluginCleanup"),  # Mosquitto, at its start and its end
    "Sources/Gate/Plugin.swift": ("answer",),  # Mosquitto, at each event
    "Sources/Providers/HTTP/CurlHandle.swift": ("readUpload", "dropDownload"),  # libcurl, for a body
    "Sources/Providers/HTTP/WebTransfer.swift": ("takeDownload", "watchProgress"),  # libcurl, for an answer
}
UNLABELLED_MAX = 20

failures: list[str] = []
# The files that define each limit; the key is the limit's name and number.
limits: dict[tuple[str, str], set[str]] = {}
hints: list[str] = []


def is_documented(lines: list[str], index: int) -> bool:
    """Returns whether a doc comment or an attribute is right above a line."""
    above = lines[index - 1].strip() if index else ""
    return above.startswith(("///", "@")) or above.endswith("*/")


def requirements(paths: list[pathlib.Path]) -> dict[str, set[str]]:
    """Returns the names of the functions and properties that our own protocols require."""
    names = {"func": set(WITNESSES), "var": set()}
    for path in paths:
        inside = False
        for line in path.read_text(encoding="utf-8").splitlines():
            inside = (inside and line != "}") or line.startswith(("package protocol", "protocol"))
            found = REQUIREMENT.match(line) if inside else None
            if found:
                names[found[1]].add(found[2])
    return names


def is_plain(line: str, witnesses: set[str]) -> bool:
    """Returns whether a line declares a property that no protocol requires.

    Such a property needs a doc comment. Even if one of our own protocols requires a stored property of an instance, the
    function returns True."""
    found = PROPERTY.match(line)
    if not found or found[2] in PROPERTY_WITNESSES:
        return False
    return not (found[2] in witnesses and (found[1] == "static" or "{" in found[3]))


def check(path: pathlib.Path, witnesses: dict[str, set[str]]) -> None:
    name = path.relative_to(ROOT).as_posix()
    lines = path.read_text(encoding="utf-8").splitlines()
    if len(lines) > 400:
        hints.append(f"{name}: {len(lines)} lines")
    for index, line in enumerate(lines):
        place = f"{name}:{index + 1}"
        found = DECLARATION.match(line)
        if found and not is_documented(lines, index) and NAME.match(found[1])[0] not in witnesses["func"]:
            failures.append(f"{place}: no doc comment: {line.strip()}")
        if is_plain(line, witnesses["var"]) and not is_documented(lines, index):
            failures.append(f"{place}: no doc comment: {line.strip()}")
        found = INITIALISER.match(line)
        if found and not is_documented(lines, index) and not INITIALISER_WITNESS.match(line, found.end()):
            failures.append(f"{place}: no doc comment: {line.strip()}")
        module = IMPORT.match(line)
        if module and module[1] in BORDERS and not name.startswith(BORDERS[module[1]]):
            failures.append(f"{place}: {module[1]} may be imported in {BORDERS[module[1]]} only")
        code = line.split("//")[0]
        if UNSAFE.search(code) and "//" not in line and not lines[index - 1].strip().startswith("//"):
            failures.append(f"{place}: needs a reason beside it: {line.strip()}")
        if RETIRED.search(line):
            failures.append(f"{place}: a retired name: {line.strip()}")
        if MACHINE.search(line) and not name.startswith(MACHINES):
            failures.append(f"{place}: a path of one machine: {line.strip()}")
        if FOREIGN.search(line) and not name.startswith("Tests"):
            failures.append(f"{place}: not plain English: {line.strip()}")
        if re.search(r"\b(?:TODO|FIXME)\b(?!.*#\d)", line):
            failures.append(f"{place}: a TODO needs an issue: {line.strip()}")


def unlabelled(name: str, text: str) -> list[str]:
    """Returns a file's functions that have three or more unlabelled parameters, except those in `UNLABELLED`."""
    found = []
    for match in FUNCTION.finditer(text):
        depth, start, parts = 1, match.end(), []
        for index in range(match.end(), len(text)):
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text[index], 0)
            if depth == 0 or (depth == 1 and text[index] == ","):
                parts.append(text[start:index].strip())
                start = index + 1
            if depth == 0:
                break
        function = match[1] or match[0].rstrip("(?").split("<")[0].strip()
        if sum(part.startswith("_ ") for part in parts) > 2 and function not in UNLABELLED.get(name, ()):
            found.append(function)
    return found


def check_code(name: str, text: str) -> None:
    """Checks the rules that apply only to product code, not to tests."""
    if found := unlabelled(name, text):
        failures.append(f"{name}: label the third and further parameters of {', '.join(found)}")
    if name.startswith("Sources/Workers") and name not in JSON_WORKERS and re.search(r"^(?:\w+ )?import JSON$", text, re.M):
        failures.append(f"{name}: payloads are read and written in Wire")
    if name.startswith("Sources/Workers") and (found := MEMBER.search(text)):
        failures.append(f"{name}: parameters are read in Wire: {found[0]}")
    for limit in LIMIT.finditer(text):
        number = limit[2].replace("_", "")
        if re.search("[1-9]", number):
            limits.setdefault((limit[1], number), set()).add(name)
    if (found := SQL.search(text)) and not name.startswith(("Sources/Libraries/SQLite", "Sources/Storage")):
        failures.append(f"{name}: SQL is written in Storage: {found[0].strip()}")
    if name.startswith("Sources/Domain"):
        for found in CODEC.finditer(text):
            codec = found[1] or found[2]
            if not name.startswith("Sources/Domain/Documents/") or codec not in DOCUMENTS:
                failures.append(f"{name}: Domain has codecs of stored documents only, in Documents: {codec}")
    if name.startswith(("Sources/Workers", "Sources/Domain", "Sources/Storage")) and (found := JSON_TEXT.search(text)):
        failures.append(f"{name}: JSON is written in Wire: {found[0]}")


def check_tree(files: list[pathlib.Path]) -> None:
    """Checks the rules for folders, and for all files together."""
    # C files are forbidden. A C function replaces every function of that name, even in libraries and the system.
    for path in (ROOT / "Sources").rglob("*.c"):
        failures.append(f"{path.relative_to(ROOT)}: Sources hold no C, but headers of wrappers")
    for folder in {path.parent for path in files}:
        number = sum(path.parent == folder for path in files)
        if number > FILES_MAX:
            failures.append(f"{folder.relative_to(ROOT)}: {number} files in one folder; {FILES_MAX} are allowed")
    for (name, number), places in limits.items():
        if len(places) > 1:
            failures.append(f"{name} = {number} is defined {len(places)} times: {', '.join(sorted(places))}")
    exceptions = sum(map(len, UNLABELLED.values()))
    if exceptions > UNLABELLED_MAX:
        failures.append(f"UNLABELLED has {exceptions} functions; {UNLABELLED_MAX} are allowed")


def check_chain() -> None:
    """Checks that Package.swift has no long chain of libraries, each needing the previous one."""
    manifest = ROOT / "Package.swift"
    if not manifest.exists():
        return
    libraries = {}
    for found in LIBRARY.finditer(manifest.read_text(encoding="utf-8")):
        if 'path: "Tests/' not in found[2]:
            listed = DEPENDENCIES.search(PRODUCT.sub("", found[2]))
            libraries[found[1]] = re.findall(r'"(\w+)"', listed[1]) if listed else []

    def chain(name: str) -> list[str]:
        """Returns the longest chain that ends with the given library."""
        below = [chain(other) for other in libraries[name] if other in libraries]
        return max(below, key=len, default=[]) + [name]

    longest = max(map(chain, libraries), key=len, default=[])
    if len(longest) > CHAIN_MAX:
        failures.append(f"Package.swift: a chain of {len(longest)} libraries; {CHAIN_MAX} are allowed: {', '.join(longest)}")


def check_texts() -> None:
    """Checks the rules for all texts except the Swift files."""
    tops = ("clients", "deploy", "docs", "schemas", "Sources", "Tests")
    files = [p for top in tops for p in (ROOT / top).rglob("*")] + list(ROOT.glob("*.md"))
    for path in files:
        name = path.relative_to(ROOT).as_posix()
        if path.suffix not in TEXTS or path.is_symlink() or name.startswith(MACHINES):
            continue
        for index, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            if MACHINE.search(line):
                failures.append(f"{name}:{index + 1}: a path of one machine: {line.strip()[:100]}")
            if FOREIGN.search(line) and not name.startswith("Tests") and name != "deploy/tidy.py":
                failures.append(f"{name}:{index + 1}: not plain English: {line.strip()[:100]}")


def check_short() -> None:
    """Checks the size of the texts that a newcomer reads first."""
    for name, (lines_max, columns_max) in SHORT.items():
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines() if (ROOT / name).exists() else []
        if len(lines) > lines_max:
            failures.append(f"{name}: {len(lines)} lines; {lines_max} are allowed")
        for index, line in enumerate(lines):
            if len(line) > columns_max:
                failures.append(f"{name}:{index + 1}: {len(line)} columns; {columns_max} are allowed")


def main() -> int:
    files = sorted(p for top in ("Sources", "Tests") for p in (ROOT / top).rglob("*.swift"))
    witnesses = requirements(files)
    for path in files:
        check(path, witnesses)
        if path.is_relative_to(ROOT / "Sources"):
            check_code(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
    check_tree(files)
    check_chain()
    check_texts()
    check_short()
    for hint in hints:
        print(f"hint: {hint}")
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{len(files)} files, {len(failures)} to mend")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
