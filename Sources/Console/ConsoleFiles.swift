import Files
import Sodium
import Web

/// The pages' files: built in, minified and compressed, or read from a directory at each request,
/// for developing them.
struct ConsoleFiles: Sendable {
    private struct File {
        var bytes: [UInt8]
        var gzip: [UInt8]?
        var tag: String

        init(_ bytes: [UInt8], compressed: Bool) {
            self.bytes = bytes
            gzip = compressed ? Gzip.compress(bytes) : nil
            tag = Sodium.base64URL(Array(Sodium.sha256(bytes).prefix(12)))
        }
    }

    private let directory: String?
    private let builtIn: [String: File]

    /// Creates the files: the built-in ones, or those of a directory if one is given.
    init(directory: String?) {
        self.directory = directory
        builtIn = directory == nil ? Self.readBuiltIn() : [:]
    }

    /// Reads the built-in files.
    ///
    /// The page refers to its script and style by their content, so that browsers can cache them.
    private static func readBuiltIn() -> [String: File] {
        var texts = Dictionary(EmbeddedTexts.all.map { ($0.name, $0.text) }) { first, _ in first }
            .mapValues { $0.withUTF8Buffer { Array($0) } }
        let named = ["app.js", "style.css"].compactMap { name in
            texts[name].map { (name, File($0, compressed: false).tag) }
        }
        var page = String(decoding: texts["index.html"] ?? [], as: UTF8.self)
        for (name, tag) in named {
            page = page.replacing("\"\(name)\"", with: "\"\(name)?\(version)=\(tag)\"")
        }
        texts["index.html"] = Array(page.utf8)
        return texts.mapValues { File($0, compressed: true) }
    }

    /// The query parameter that carries the tag of a file's content.
    private static let version = "v"

    /// Answers a request for a file; a path below `/console/` that names no file gets the page
    /// itself.
    func answer(_ request: ConsoleRequest) -> ConsoleAnswer {
        guard request.method == "GET" else { return Self.missing }
        guard request.path.first == "console" else {
            return request.path == ["favicon.ico"] || !request.path.isEmpty
                ? Self.missing : Self.redirect
        }
        let parts = request.path.dropFirst()
        let isFile = parts.last?.contains(".") ?? false
        let name = isFile ? parts.joined(separator: "/") : "index.html"
        guard parts.allSatisfy(Self.isPlain), let file = file(name) else { return Self.missing }
        let gzip = Self.takesGzip(request) ? file.gzip : nil
        let tag = gzip == nil ? "\"\(file.tag)\"" : "\"\(file.tag)-gzip\""
        var headers = Self.headers
        headers.append(("Content-Type", Self.mediaType(name)))
        headers.append(("Vary", "Accept-Encoding"))
        headers.append(("ETag", tag))
        headers.append(
            (
                "Cache-Control",
                request.query[Self.version] == file.tag
                    ? "public, max-age=31536000, immutable" : "no-cache"
            )
        )
        if request.header("if-none-match")?.contains(tag) == true {
            return ConsoleAnswer(304, headers: headers, body: .bytes([]))
        }
        if gzip != nil { headers.append(("Content-Encoding", "gzip")) }
        return ConsoleAnswer(200, headers: headers, body: .bytes(gzip ?? file.bytes))
    }

    /// Returns whether a browser accepts gzip; a browser refuses it with the quality 0.
    private static func takesGzip(_ request: ConsoleRequest) -> Bool {
        let codings = request.header("accept-encoding")?.split(separator: ",") ?? []
        return codings.contains { coding in
            let parts = coding.filter { $0 != " " }.lowercased().split(separator: ";")
            return parts.first == "gzip"
                && !parts.dropFirst().contains { $0 == "q=0" || $0 == "q=0.0" }
        }
    }

    private func file(_ name: String) -> File? {
        guard let directory else { return builtIn[name] }
        return TextFile.readBytes("\(directory)/\(name)").map { File($0, compressed: false) }
    }

    /// Returns whether a part of a path can't lead outside the directory.
    private static func isPlain(_ part: String) -> Bool {
        !part.hasPrefix(".")
            && part.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "_"), UInt8(ascii: ":"):
                    true
                default: false
                }
            }
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

    /// The headers of the pages: text from untrusted devices stays text, and nothing is loaded from
    /// or sent to another origin.
    private static let headers: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                + "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; "
                + "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'"
        ), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    private static let missing = ConsoleAnswer(
        404,
        headers: [("Content-Type", "text/plain; charset=utf-8")],
        body: .bytes(Array("There is nothing here; the console is at /console/.\n".utf8))
    )

    private static let redirect = ConsoleAnswer(
        303,
        headers: [("Location", "/console/")],
        body: .bytes([])
    )
}
