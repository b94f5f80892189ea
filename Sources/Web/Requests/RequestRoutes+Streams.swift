import Domain
import Hummingbird
import Wire

extension RequestRoutes {
    /// Opens a user's stream.
    func stream(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let streams = front.streams else {
            throw Rejection(.resourceNotFound, "There are no streams here.")
        }
        guard case .bearer(let token) = try RequestCredentials.read(request.headers[.authorization]) else {
            throw Rejection(.invalidToken, "A stream needs a session's token as Bearer.", field: "token")
        }
        guard !OAuthToken.isAccess(token) else {
            throw Rejection(.forbidden, "A linked service can't open a stream of messages; a user's session can.")
        }
        let holder = try await holder(of: token)
        let filters = try StreamFilters(request.uri.query, of: holder)
        let stream = try await streams.open(
            holder,
            token: token,
            filters: filters.texts.map { "\(front.root)/\($0)" },
            from: context.address(of: request),
            holder: front.holder
        )
        let cutoff = StreamCutoff(context.channel) { [find = front.holder] in
            do { return try await find(token).map { $0.refusal != nil } ?? true } catch { return false }
        }
        return Self.stream(request, cutoff, stop: stream.stop) { [root = front.root] in
            try await stream.run(root: root, &$0)
        }
    }

    /// Opens a stream of the event log.
    func events(_ request: Request, _ context: WebContext) async throws -> Response {
        guard case .bearer(let token) = try RequestCredentials.read(request.headers[.authorization]) else {
            throw Rejection(.invalidToken, "A stream of events needs an API key as Bearer.", field: "token")
        }
        let holder = try await holder(of: token)
        let opening = EventStreamRequest(
            token: token,
            parameters: try EventQuery.read(request.uri.query),
            lastID: try EventQuery.lastID(HTTPFields.Element.Name("Last-Event-ID").flatMap { request.headers[$0] })
        )
        let stream = try await front.events.open(opening, of: holder, from: context.address(of: request))
        let cutoff = StreamCutoff(context.channel, hasEnded: stream.hasEnded)
        return Self.stream(request, cutoff, stop: stream.stop) { try await stream.run(&$0) }
    }

    private static func stream(
        _ request: Request,
        _ cutoff: StreamCutoff,
        stop: @escaping @Sendable () -> Void,
        run: @escaping @Sendable @concurrent (inout EventWriter) async throws -> Void
    ) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                defer { cutoff.finish() }
                var events = EventWriter(writer)
                // When the client closes the connection, the stream ends at once. It doesn't wait until the service
                // next writes to the stream.
                try await request.body.consumeWithInboundCloseHandler { _ in
                    try await run(&events)
                } onInboundClosed: {
                    stop()
                }
                writer = events.writer
                try await writer.finish(nil)
            }
        )
    }
}
