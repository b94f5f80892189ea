import Domain
import JSON
import Web

/// One operation of the interface: an entry of `schemas/http`, whose id and role a test compares.
struct Operation: Sendable {
    /// Carries an operation out.
    enum Work: Sendable {
        /// On one of the console's threads; may block.
        case blocking(@Sendable (ConsoleCall) throws -> Reply)
        /// Anywhere; must not block.
        case waiting(@Sendable (ConsoleCall) async throws -> Reply)
    }

    /// The operation's id.
    let id: String
    let method: String
    /// The parts of the path below `/api/v1`; those in braces take any part.
    let path: [String]
    /// The least role; nil for those that need no session.
    let role: OperatorRole?
    /// Whether a token is not enough.
    let isForBrowsers: Bool
    /// Bytes of the body at most.
    private(set) var bodyMax: Int
    let work: Work

    /// Bytes of a body at most: of strangers, of others, and of documents.
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

    /// The same operation, whose body is a document.
    var takingDocument: Operation {
        var operation = self
        operation.bodyMax = Self.documentsMax
        return operation
    }

    /// Returns the values of the path's parameters; nil where a path is another one.
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

    /// How many of its parts take any text: among operations that match, the one with fewest counts.
    var looseness: Int { path.count { $0.hasPrefix("{") } }
}

/// What an operation answers.
struct Reply: Sendable {
    var body: ConsoleAnswer.Body
    var mediaType = "application/json"
    var headers: [(name: String, value: String)] = []

    /// An object.
    init(_ object: JSONObject) { body = .bytes(object.encoded()) }

    /// A text of another type, which browsers keep as a file.
    init(_ bytes: [UInt8], mediaType: String, file: String) {
        body = .bytes(bytes)
        self.mediaType = mediaType
        headers = [("Content-Disposition", "attachment; filename=\"\(file)\"")]
    }

    /// A stream of events.
    init(events: @escaping @Sendable @concurrent (inout EventWriter) async throws -> Void) {
        body = .stream(events)
        mediaType = "text/event-stream"
        headers = [("X-Accel-Buffering", "no"), ("Cache-Control", "no-store")]
    }

    /// An object without members.
    static let empty = Reply(JSONObject())
}
