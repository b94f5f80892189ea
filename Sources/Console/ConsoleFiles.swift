import Files
import Sodium
import Web

/// The pages' files: built in, or from a directory while they are worked on.
struct ConsoleFiles: Sendable {
    private struct File {
        var bytes: [UInt8]
        var tag: String
    }

    private let directory: String?
    private let builtIn: [String: File]

    /// Serves the files that are built in; those of a directory instead, where one is given.
    init(directory: String?) {
        self.directory = directory
        builtIn = Dictionary(
            EmbeddedTexts.all.map { name, text in
                let bytes = text.withUTF8Buffer { Array($0) }
                return (name, File(bytes: bytes, tag: Self.tag(bytes)))
            },
            uniquingKeysWith: { first, _ in first }
        )
    }

    private static func tag(_ bytes: [UInt8]) -> String {
        "\"\(Sodium.base64URL(Array(Sodium.sha256(bytes).prefix(12))))\""
    }

    /// Answers a request for a file; a path below `/console/` that names no file is the page's own.
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
        var headers = Self.headers
        headers.append(("Content-Type", Self.mediaType(name)))
        headers.append(("ETag", file.tag))
        if request.header("if-none-match")?.contains(file.tag) == true {
            return ConsoleAnswer(304, headers: headers, body: .bytes([]))
        }
        return ConsoleAnswer(200, headers: headers, body: .bytes(file.bytes))
    }

    private func file(_ name: String) -> File? {
        guard let directory else { return builtIn[name] }
        return TextFile.readBytes("\(directory)/\(name)").map { File(bytes: $0, tag: Self.tag($0)) }
    }

    /// Whether a part of a path can't lead elsewhere.
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

    /// The policy of the pages: whatever strangers' devices say is text, and nothing comes from or goes elsewhere.
    private static let headers: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                + "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; "
                + "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'"
        ), ("Cache-Control", "no-cache"), ("Cross-Origin-Opener-Policy", "same-origin"),
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
