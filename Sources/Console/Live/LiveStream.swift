import Administration
import JSON
import Synchronization
import Web

/// An open stream of events to a page of the console.
final class LiveStream: Sendable {
    let id: String
    let caller: Caller
    private let state: Mutex<[Watch]>

    /// The longest duration of a stream, after which the page opens a new stream at the same position.
    private static let lifeMax: Duration = .seconds(1800)
    /// The time without events after which a stream sends a beat.
    private static let silenceMax: Duration = .seconds(5)
    /// The time without events after which a stream of messages sends a beat.
    ///
    /// The time is short, because the tap stays connected until the stream notices that the page is gone.
    private static let tapSilenceMax: Duration = .seconds(1)
    /// The interval at which a stream without events checks whether its session has ended.
    private static let accessInterval: Duration = .milliseconds(500)

    init(id: String, caller: Caller, watches: [Watch]) {
        self.id = id
        self.caller = caller
        state = Mutex(watches)
    }

    /// The objects that the stream watches.
    var watches: [Watch] {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    private struct Look {
        var events: [LiveEvent] = []
        var end: Access.End?
    }

    /// Sends changes until the session ends, half an hour has passed, or the service stops.
    ///
    /// - Throws: An error of the writer if the client has disconnected.
    @concurrent func run(in hub: LiveHub, from position: StreamPosition, _ writer: inout EventWriter) async throws {
        let began = ContinuousClock.now
        var feed = LiveFeed(hub, position: position)
        var (seen, tapped, told, checked) = (-1, -1, began, began)
        var known: [Watch] = []
        try await writer.write(
            Self.event("hello", ["stream": .string(id)], id: position.id.isEmpty ? nil : position.id)
        )
        while !hub.isStopping {
            let now = ContinuousClock.now
            guard now - began < Self.lifeMax else { return try await end("time", &writer) }
            let (generation, watches) = (hub.generation, watches)
            let isDue = generation != seen || watches != known
            let tap = watches.contains(where: \.isTap) ? hub.tap.serial : tapped
            let isCheckDue = isDue || tap != tapped || now - checked >= Self.accessInterval
            if isCheckDue {
                let (caller, before) = (caller, feed)
                let (look, after) = try await hub.context.threads.run {
                    var feed = before
                    if let end = try hub.access.end(of: caller, at: hub.context.now) { return (Look(end: end), feed) }
                    return (Look(events: try feed.look(at: watches, caller, hasChanged: isDue)), feed)
                }
                if let why = look.end { return try await end(why.rawValue, &writer) }
                (feed, seen, known, checked) = (after, generation, watches, now)
                tapped = tap
                for event in look.events {
                    try await writer.write(Self.event(event.name, event.data, id: event.id))
                    told = now
                }
            }
            let hasTap = known.contains(where: \.isTap)
            if now - told >= (hasTap ? Self.tapSilenceMax : Self.silenceMax) {
                try await writer.write(Self.event("beat", ["at": Shown.moment(hub.context.now)]))
                told = now
            }
            try await Task.sleep(for: LiveHub.interval)
        }
        try await end("stopping", &writer)
    }

    @concurrent private func end(_ reason: String, _ writer: inout EventWriter) async throws {
        try await writer.write(Self.event("end", ["reason": .string(reason)]))
    }

    /// Returns the bytes of an event.
    ///
    /// The encoded JSON contains no line breaks, so it fits into one `data:` line.
    private static func event(_ name: String, _ data: JSONObject, id: String? = nil) -> [UInt8] {
        var bytes: [UInt8] = []
        if let id { bytes += Array("id: \(id)\n".utf8) }
        bytes += Array("event: \(name)\ndata: ".utf8)
        bytes += data.encoded()
        bytes += Array("\n\n".utf8)
        return bytes
    }
}

/// An event of a stream.
struct LiveEvent: Sendable {
    var name: String
    var data: JSONObject
    /// The event's id; it contains the stream's position after the event.
    var id: String
}
