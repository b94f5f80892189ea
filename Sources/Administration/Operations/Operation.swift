package import Domain
package import JSON
package import Web

/// An operation of the interface: an entry of `schemas/http`, whose id and role a test compares.
package struct Operation: Sendable {
    /// The work of an operation.
    package enum Work: Sendable {
        /// Work on one of the console's threads, which may block.
        case blocking(@Sendable (OperationCall) throws -> Reply)
        /// Work on any thread, which must not block.
        case waiting(@Sendable (OperationCall) async throws -> Reply)
    }

    /// The operation's id.
    package let id: String
    /// The HTTP method.
    package let method: String
    /// The parts of the path below `/api/v1`; a part in braces matches any text.
    package let path: [String]
    /// The least role; nil for an operation without a session.
    package let role: OperatorRole?
    /// Whether the operation requires a browser's session rather than a token.
    package let isForBrowsers: Bool
    /// The maximum size of the body, in bytes.
    package private(set) var bodyMax: Int
    /// The work.
    package let work: Work

    /// The maximum sizes in bytes: of a body sent without a session, of any other body, and of a document.
    private static let (strangersMax, othersMax, documentsMax) = (4 << 10, 64 << 10, 1 << 20)

    /// Creates an operation that may block, and answers with an object.
    package init(
        _ id: String,
        _ method: String,
        _ path: String,
        role: OperatorRole?,
        isForBrowsers: Bool = false,
        _ body: @escaping @Sendable (OperationCall) throws -> JSONObject
    ) {
        let work = Work.blocking { Reply(try body($0)) }
        self.init(id, method, path, role: role, isForBrowsers: isForBrowsers, work: work)
    }

    /// Creates an operation.
    package init(
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
    package var takingDocument: Operation {
        var operation = self
        operation.bodyMax = Self.documentsMax
        return operation
    }

    /// Returns the values of the path's parameters; nil for a path that doesn't match.
    package func match(_ path: ArraySlice<String>) -> [String: String]? {
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

    /// The number of parts that match any text; of several matching operations, the one with the least is chosen.
    package var looseness: Int { path.count { $0.hasPrefix("{") } }
}

/// The answer of an operation.
package struct Reply: Sendable {
    /// The content of an answer.
    package enum Content: Sendable {
        /// JSON.
        case object(JSONObject)
        /// A text of another type, which browsers save as a file.
        case file([UInt8], mediaType: String, name: String)
        /// A stream of events.
        case events(@Sendable @concurrent (inout EventWriter) async throws -> Void)
    }

    /// The content.
    package let content: Content
    /// The headers of the HTTP answer.
    package var headers: [(name: String, value: String)] = []

    /// Creates a reply.
    package init(_ content: Content) { self.content = content }

    /// Creates a reply with an object.
    package init(_ object: JSONObject) { self.init(.object(object)) }

    /// The object; nil for a reply of another kind.
    package var object: JSONObject? {
        guard case .object(let object) = content else { return nil }
        return object
    }

    /// A reply with an empty object.
    package static let empty = Reply(JSONObject())
}
