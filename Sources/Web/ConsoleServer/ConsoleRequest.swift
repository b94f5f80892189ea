/// A request to the console, independent of its HTTP form.
package struct ConsoleRequest: Sendable {
    /// `GET`, `POST` and so on.
    package var method: String
    /// The path, percent-decoded part by part, without empty parts: `["api", "v1", "devices"]`.
    package var path: [String]
    /// The parameters of the query; of a repeated name, the first value.
    package var query: [String: String]
    /// The body; empty until it's read, and for requests without one.
    package var body: [UInt8]
    /// The client's address, or its /64 for IPv6.
    package var address: String
    private var headers: [String: String]

    /// Creates a request; the names of headers are in lower case.
    package init(
        method: String,
        path: [String],
        query: [String: String],
        headers: [String: String],
        body: [UInt8],
        address: String
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.address = address
    }

    /// Creates a request with a query alone, for an operation that isn't requested over HTTP.
    package init(query: [String: String]) {
        self.init(method: "", path: [], query: query, headers: [:], body: [], address: "")
    }

    /// Returns a header by its name in lower case.
    package func header(_ name: String) -> String? { headers[name] }

    /// Returns the value of a cookie.
    package func cookie(_ name: String) -> String? {
        for pair in headers["cookie"]?.split(separator: ";") ?? [] {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name else { continue }
            return String(parts[1])
        }
        return nil
    }
}

/// The console's answer to a request.
package struct ConsoleAnswer: Sendable {
    /// The body of an answer.
    package enum Body: Sendable {
        /// The whole body.
        case bytes([UInt8])
        /// A body whose parts follow one another until the function returns; it throws once the client is gone.
        case stream(@Sendable @concurrent (inout EventWriter) async throws -> Void)
    }

    /// The status code.
    package var status: Int
    /// The headers in their order, with the names in their written form.
    package var headers: [(name: String, value: String)]
    /// The body.
    package var body: Body

    /// Creates an answer.
    package init(_ status: Int, headers: [(name: String, value: String)], body: Body) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Reads a request's body; returns nil if it exceeds a number of bytes.
package typealias BodyReader = @Sendable (_ max: Int) async -> [UInt8]?

/// The console's handler of requests, for which `Web` speaks HTTP.
package protocol ConsoleResponder: Sendable {
    /// Answers a request without blocking; `read` reads its body and may be called once.
    func answer(_ request: ConsoleRequest, reading read: BodyReader) async -> ConsoleAnswer
    /// Ends open streams when the service stops.
    func stop()
}
