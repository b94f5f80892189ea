import Domain
import JSON
import ServiceLifecycle
package import Wire

/// A reader of the event log for one stream.
package protocol EventFeed: Sendable {
    /// Waits for the next part and returns it; no part follows `end`.
    func next() async -> EventPart
    /// Makes `next` return at once.
    func stop()
    /// Returns whether the key or the subscription has ended.
    func hasEnded() async -> Bool
}

/// The streams of the event log, for API keys.
package struct EventStreams: Sendable {
    /// Opens a reader.
    package typealias Opener = @Sendable (EventStreamRequest) async throws -> any EventFeed

    private let places: StreamPlaces
    private let keyPlaces: StreamPlaces
    private let read: Opener

    /// Makes a collection of streams with up to `perKey` streams for each key.
    package init(_ places: StreamPlaces, perKey: Int, read: @escaping Opener) {
        self.places = places
        keyPlaces = StreamPlaces(perParty: perKey)
        self.read = read
    }

    /// Opens a key's stream.
    ///
    /// - Throws: `Rejection`.
    func open(
        _ request: EventStreamRequest,
        of holder: RequestFront.Holder,
        from client: String
    ) async throws -> LogStream {
        guard holder.uid == nil else { throw Rejection(.forbidden, "Events are for API keys only.") }
        let (party, key) = (WebContext.household(client), holder.terminal.text)
        try keyPlaces.enter(key)
        do {
            try places.enter(party)
            do {
                return LogStream(try await read(request)) { [places, keyPlaces] in
                    places.leave(party)
                    keyPlaces.leave(key)
                }
            } catch {
                places.leave(party)
                throw error
            }
        } catch {
            keyPlaces.leave(key)
            throw error
        }
    }
}

/// An open stream of the event log, as server-sent events.
final class LogStream: Sendable {
    private let feed: any EventFeed
    private let leave: @Sendable () -> Void

    init(_ feed: any EventFeed, leave: @escaping @Sendable () -> Void) { (self.feed, self.leave) = (feed, leave) }

    deinit { leave() }

    /// Ends the stream because the service is stopping or the client has left.
    @Sendable func stop() { feed.stop() }

    /// Returns whether the key or the subscription has ended.
    @Sendable func hasEnded() async -> Bool { await feed.hasEnded() }

    /// Sends entries until the stream ends.
    ///
    /// - Throws: An error when the client is gone.
    @concurrent func run(_ writer: inout EventWriter) async throws {
        try await withGracefulShutdownHandler {
            // This empty comment line makes the server send the answer's head at once, even if there is no entry yet.
            try await writer.write(Array(":\n\n".utf8))
            while true {
                switch await feed.next() {
                case .events(let events):
                    let bytes = events.flatMap { Array("id: \($0.id)\n".utf8) + UserStream.event($0.type, $0.json) }
                    try await writer.write(bytes)
                case .silence: try await writer.write(Array(":\n\n".utf8))
                case .end(let reason): return try await writer.write(UserStream.end(reason))
                }
            }
        } onGracefulShutdown: {
            self.stop()
        }
    }
}

/// The parameters of a stream of the event log.
enum EventQuery {
    /// Returns the parameters of a query as a JSON object.
    ///
    /// The value of a parameter can be a list. Commas separate its items. The query can contain such a parameter
    /// several times, and all the items then form one list.
    static func read(_ query: String?) throws(Rejection) -> JSONObject {
        var (lists, texts): ([String: [String]], [String: String]) = ([:], [:])
        for pair in query?.split(separator: "&") ?? [] {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard parts.count == 2, let text = FormFields.decodePart(parts[1]) else {
                throw Rejection.invalid("query", "A parameter of the query is malformed.")
            }
            switch name {
            case "types", "productKeys", "dids": lists[name, default: []] += text.split(separator: ",").map(String.init)
            case "after", "subscriptionId":
                guard texts.updateValue(text, forKey: name) == nil else {
                    throw Rejection.invalid(name, "The query contains this parameter twice.")
                }
            default:
                let known = "types, productKeys, dids, after and subscriptionId"
                throw Rejection.invalid("query", "A stream of events takes the parameters \(known).")
            }
        }
        let members = lists.mapValues { JSONValue.array($0.map { .string($0) }) }
            .merging(texts.mapValues { .string($0) }) { list, _ in list }
        return JSONObject(members.map { ($0.key, $0.value) })
    }

    /// Reads the header `Last-Event-ID`; returns nil if the header is absent.
    static func lastID(_ header: String?) throws(Rejection) -> EventCursor? {
        guard let header, !header.isEmpty else { return nil }
        guard let cursor = EventCursor(header) else {
            throw Rejection.invalid("Last-Event-ID", "Last-Event-ID is not an id of the event log.")
        }
        return cursor
    }
}
