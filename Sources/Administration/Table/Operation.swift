import Domain
import JSON
import Web

/// An operation of the interface: an entry of `schemas/http`, whose id and role a test compares.
struct Operation: Sendable {
    /// The work of an operation.
    enum Work: Sendable {
        /// Work on one of the console's threads, which may block.
        case blocking(@Sendable (ConsoleCall) throws -> Reply)
        /// Work on any thread, which must not block.
        case waiting(@Sendable (ConsoleCall) async throws -> Reply)
    }

    /// The operation's id.
    let id: String
    let method: String
    /// The parts of the path below `/api/v1`; a part in braces matches any text.
    let path: [String]
    /// The least role; nil for an operation without a session.
    let role: OperatorRole?
    /// Whether the operation requires a browser's session rather than a token.
    let isForBrowsers: Bool
    /// The maximum size of the body, in bytes.
    private(set) var bodyMax: Int
    let work: Work

    /// The maximum sizes in bytes: of a body sent without a session, of any other body, and of a
    /// document.
    private static let (strangersMax, othersMax, documentsMax) = (4 << 10, 64 << 10, 1 << 20)

    init(
        _ id: String,
        _ method: String,
        _ path: String,
        role: OperatorRole?,
        isForBrowsers: Bool = false,
        _ body: @escaping @Sendable (ConsoleCall) throws -> Reply
    ) {
        self.init(id, method, path, role: role, isForBrowsers: isForBrowsers, work: .blocking(body))
    }

    init(
        _ id: String,
        _ method: String,
        _ path: String,
        role: OperatorRole?,
        isForBrowsers: Bool = false,
        work: Work
    ) {
        self.id = id
        self.method = method
        self.path = path.split(separator: "/").map(String.init)
        self.role = role
        self.isForBrowsers = isForBrowsers
        self.work = work
        bodyMax = role == nil ? Self.strangersMax : Self.othersMax
    }

    /// The same operation with a document as its body.
    var takingDocument: Operation {
        var operation = self
        operation.bodyMax = Self.documentsMax
        return operation
    }

    /// Returns the values of the path's parameters; nil for a path that doesn't match.
    func match(_ path: ArraySlice<String>) -> [String: String]? {
        guard path.count == self.path.count else { return nil }
        var values: [String: String] = [:]
        for (pattern, part) in zip(self.path, path) {
            if pattern.hasPrefix("{") {
                values[String(pattern.dropFirst().dropLast())] = part
            } else if pattern != part {
                return nil
            }
        }
        return values
    }

    /// The number of parts that match any text; of several matching operations, the one with the
    /// least is chosen.
    var looseness: Int { path.count { $0.hasPrefix("{") } }
}

/// The answer of an operation.
struct Reply: Sendable {
    var body: ConsoleAnswer.Body
    var mediaType = "application/json"
    var headers: [(name: String, value: String)] = []

    /// Creates a reply with an object.
    init(_ object: JSONObject) { body = .bytes(object.encoded()) }

    /// Creates a reply with a text of another type, which browsers save as a file.
    init(_ bytes: [UInt8], mediaType: String, file: String) {
        body = .bytes(bytes)
        self.mediaType = mediaType
        headers = [("Content-Disposition", "attachment; filename=\"\(file)\"")]
    }

    /// Creates a reply with a stream of events.
    init(events: @escaping @Sendable @concurrent (inout EventWriter) async throws -> Void) {
        body = .stream(events)
        mediaType = "text/event-stream"
        headers = [("X-Accel-Buffering", "no"), ("Cache-Control", "no-store")]
    }

    /// A reply with an empty object.
    static let empty = Reply(JSONObject())
}
