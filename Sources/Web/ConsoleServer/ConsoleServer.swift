import Hummingbird
import NIOCore
import ServiceLifecycle

/// The HTTP listener of the operators' console, separate from the other listeners.
package struct ConsoleServer: Service {
    private let listener: Listener
    private let responder: any ConsoleResponder
    private let hosts: HostRule
    private let isSecure: Bool
    private let readiness: Readiness

    /// Creates a server that begins to listen when it's run.
    ///
    /// The server answers requests for the hosts `names` and for this machine's names. `isSecure` is true if browsers
    /// use HTTPS.
    package init(
        _ listener: Listener,
        responder: any ConsoleResponder,
        names: [String],
        isSecure: Bool,
        readiness: Readiness
    ) {
        self.listener = listener
        self.responder = responder
        hosts = HostRule(names)
        self.isSecure = isSecure
        self.readiness = readiness
    }

    /// Serves requests until shutdown, or throws if an address can't be bound.
    package func run() async throws {
        try await withGracefulShutdownHandler {
            try await listener.run(makeRouter()) { [readiness] in readiness.isReady("console") }
        } onGracefulShutdown: { [responder] in
            responder.stop()
        }
    }

    func makeRouter() -> Router<WebContext> {
        let router = Router(context: WebContext.self)
        router.add(middleware: SecurityHeaders(isSecure: isSecure))
        router.add(middleware: hosts)
        for method: HTTPRequest.Method in [.get, .head, .post, .put, .patch, .delete] {
            router.on("**", method: method) { request, context in
                await answer(request, context)
            }
        }
        router.get("/") { _, _ in Response(status: .seeOther, headers: [.location: "/console/"]) }
        return router
    }

    private func answer(_ request: Request, _ context: WebContext) async -> Response {
        let answer = await responder.answer(read(request, context)) { max in
            var request = request
            return (try? await request.collectBody(upTo: max)).map { Array(buffer: $0) }
        }
        if request.method == .head, case .stream = answer.body {
            return Response(status: .methodNotAllowed, headers: [.allow: "GET"])
        }
        var headers = HTTPFields()
        for (name, value) in answer.headers {
            guard let name = HTTPFields.Element.Name(name) else { continue }
            headers.append(HTTPFields.Element(name: name, value: value))
        }
        return Response(
            status: HTTPResponse.Status(code: answer.status),
            headers: headers,
            body: request.method == .head ? ResponseBody() : Self.body(answer.body)
        )
    }

    private func read(_ request: Request, _ context: WebContext) -> ConsoleRequest {
        let target = request.uri.string
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var headers: [String: String] = [:]
        for field in request.headers {
            // Cookies can arrive in several fields. For all other headers, only the first field counts.
            let name = field.name.canonicalName
            if let known = headers[name] {
                if name == "cookie" { headers[name] = known + "; " + field.value }
            } else {
                headers[name] = field.value
            }
        }
        return ConsoleRequest(
            method: request.method == .head ? "GET" : request.method.rawValue,
            path: parts[0].split(separator: "/").map { FormFields.decodePart($0) ?? "%" },
            query: parts.count > 1 ? FormFields.parse(String(parts[1])) : [:],
            headers: headers,
            body: [],
            address: context.visitor(of: request)
        )
    }

    private static func body(_ body: ConsoleAnswer.Body) -> ResponseBody {
        switch body {
        case .bytes(let bytes): ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        case .stream(let write):
            ResponseBody { writer in
                var events = EventWriter(writer)
                try await write(&events)
                writer = events.writer
                try await writer.finish(nil)
            }
        }
    }
}

/// Writes the parts of a streamed answer.
package struct EventWriter {
    var writer: any ResponseBodyWriter

    init(_ writer: any ResponseBodyWriter) { self.writer = writer }

    /// Writes a part, and waits while the client is slow.
    ///
    /// - Throws: An error when the client is gone.
    @concurrent package mutating func write(_ bytes: [UInt8]) async throws {
        try await writer.write(ByteBuffer(bytes: bytes))
    }
}
