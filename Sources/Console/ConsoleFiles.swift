import Credentials
import Files
import Sodium
import Web

/// The files of the console's pages, embedded in the program or, during development, read from a directory.
///
/// The paths of the files have the form `/console/v/{version}/{file}`. The version of embedded files is a hash of all
/// files. Thus, browsers can cache each file forever. A path with another version comes from another release's page,
/// and isn't found.
struct ConsoleFiles: Sendable {
    private struct File {
        var bytes: [UInt8]
        var gzip: [UInt8]?
        var tag: String

        init(_ bytes: [UInt8], isCompressed: Bool) {
            self.bytes = bytes
            gzip = isCompressed ? Gzip.compress(bytes) : nil
            tag = ConsoleFiles.tag(of: bytes)
        }
    }

    /// The part of a path that precedes the version.
    private static let versioned = "v"
    /// The version in the paths of files that are read from a directory.
    ///
    /// These files have no hash as their version, because they can change while the program runs.
    private static let changing = "dev"
    private static let page = "index.html"

    private let directory: String?
    private let version: String
    private let embedded: [String: File]

    /// Creates the set of the files in `directory`, or of the embedded files if `directory` is nil.
    init(directory: String?) {
        self.directory = directory
        guard directory == nil else {
            (version, embedded) = (Self.changing, [:])
            return
        }
        let texts = EmbeddedTexts.all.map { ($0.name, $0.text.withUTF8Buffer { Array($0) }) }
        let version = Self.tag(of: texts.flatMap { Array($0.utf8) + $1 })
        let files = texts.map { name, bytes in
            (name, name == Self.page ? Self.page(bytes, version: version) : bytes)
        }
        embedded = Dictionary(files) { first, _ in first }.mapValues { File($0, isCompressed: true) }
        self.version = version
    }

    private static func tag(of bytes: [UInt8]) -> String { Sodium.base64URL(Array(Sodium.sha256(bytes).prefix(12))) }

    /// Returns the page with its placeholder `{version}` replaced by the path of this version's files.
    private static func page(_ bytes: [UInt8], version: String) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        return Array(text.replacing("{version}", with: "\(versioned)/\(version)").utf8)
    }

    /// Answers a request for a file.
    ///
    /// A path below `/console/` without a file extension is one of the page's own routes.
    func answer(_ request: ConsoleRequest) -> ConsoleAnswer {
        guard request.method == "GET" else { return Self.missing }
        guard request.path.first == "console" else {
            return request.path == ["favicon.ico"] || !request.path.isEmpty ? Self.missing : Self.redirect
        }
        var parts = request.path.dropFirst()
        let isVersioned = parts.starts(with: [Self.versioned, version])
        if isVersioned { parts = parts.dropFirst(2) }
        let isFile = parts.last?.contains(".") ?? false
        let name = isFile ? parts.joined(separator: "/") : Self.page
        guard parts.allSatisfy(Self.isPlain), let file = file(name) else { return Self.missing }
        let gzip = Self.takesGzip(request) ? file.gzip : nil
        let tag = gzip == nil ? "\"\(file.tag)\"" : "\"\(file.tag)-gzip\""
        var headers = Self.headers
        headers.append(("Content-Type", Self.mediaType(name)))
        headers.append(("Vary", "Accept-Encoding"))
        headers.append(("ETag", tag))
        let isKept = isVersioned && directory == nil
        headers.append(("Cache-Control", isKept ? "public, max-age=31536000, immutable" : "no-cache"))
        if request.header("if-none-match")?.contains(tag) == true {
            return ConsoleAnswer(304, headers: headers, body: .bytes([]))
        }
        if gzip != nil { headers.append(("Content-Encoding", "gzip")) }
        return ConsoleAnswer(200, headers: headers, body: .bytes(gzip ?? file.bytes))
    }

    /// Returns whether a browser accepts gzip, that is, gives it a quality above 0.
    private static func takesGzip(_ request: ConsoleRequest) -> Bool {
        let codings = request.header("accept-encoding")?.split(separator: ",") ?? []
        return codings.contains { coding in
            let parts = coding.filter { $0 != " " }.lowercased().split(separator: ";")
            return parts.first == "gzip"
                && !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
        }
    }

    private func file(_ name: String) -> File? {
        guard let directory else { return embedded[name] }
        guard var bytes = TextFile.readBytes("\(directory)/\(name)") else { return nil }
        if name == Self.page { bytes = Self.page(bytes, version: version) }
        return File(bytes, isCompressed: false)
    }

    private static func isPlain(_ part: String) -> Bool {
        !part.hasPrefix(".")
            && part.utf8.allSatisfy { $0.isIDCharacter || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":") }
    }

    private static func mediaType(_ name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        case "json", "webmanifest": "application/json"
        default: "text/plain; charset=utf-8"
        }
    }

    /// The headers of the pages.
    ///
    /// With these headers, a device's text can't run as a script. Pages can't exchange data with other origins.
    private static let headers: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                + "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; "
                + "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'"
        ), ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    private static let missing = ConsoleAnswer(
        404,
        headers: [("Content-Type", "text/plain; charset=utf-8")],
        body: .bytes(Array("There is nothing here; the console is at /console/.\n".utf8))
    )

    private static let redirect = ConsoleAnswer(303, headers: [("Location", "/console/")], body: .bytes([]))
}
