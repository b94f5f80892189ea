import Administration
import JSON
import Domain
import Sodium
import Storage
import Synchronization
import Web
import Wire

/// The open streams, and a shared task that checks for changes four times a second.
final class LiveHub: Sendable {
    private struct State {
        var streams: [String: LiveStream] = [:]
        var generation = 0
        var isStopping = false
        var isLooking = false
    }

    let context: ConsoleContext
    let access: Access
    let overview: OverviewView
    /// The tap on the broker's messages, for streams that watch messages.
    let tap: Tap
    private let state = Mutex(State())
    private let changes: ChangeWatch?

    /// The maximum number of open streams of all operators together.
    static let streamsMax = 64
    /// The maximum number of open streams of one operator.
    static let perOperatorMax = 8
    /// The interval at which streams look for changes.
    ///
    /// A changed row is thus reported at most four times a second.
    static let interval: Duration = .milliseconds(250)

    init(_ context: ConsoleContext, _ access: Access) {
        self.context = context
        self.access = access
        overview = OverviewView(context)
        tap = Tap(context)
        changes = try? ChangeWatch(context.store)
    }

    /// The operations of the live stream.
    var operations: [Operation] {
        [
            Operation("openStream", "GET", "live", role: .viewer, work: .blocking(open)),
            Operation("changeStream", "PUT", "live/{stream}", role: .viewer, change),
        ]
    }

    /// Ends all streams when the service stops.
    func stop() {
        state.withLock { $0.isStopping = true }
        tap.want([])
    }

    var isStopping: Bool { state.withLock(\.isStopping) }

    /// A number that grows whenever a change may have been committed to the store.
    var generation: Int { state.withLock(\.generation) }

    // MARK: Streams

    private func open(_ call: OperationCall) throws -> Reply {
        let terms = (call.request.query["watch"] ?? "").split(separator: ",")
        let position = call.request.header("last-event-id").map { StreamPosition(id: $0) }
        let id = "st-" + Sodium.base64URL(Sodium.randomBytes(9))
        let stream = LiveStream(id: id, caller: call.caller, watches: try Watch.read(terms))
        if !enter(stream, isBegun: false) { try dropEnded(at: call.now) }
        guard enter(stream, isBegun: false) else {
            let detail = "Too many streams are open, in total or for \(stream.caller.name)."
            throw Refused(503, ErrorCode.unavailable.rawValue, detail)
        }
        // The stream isn't counted until its body is running, because only the end of the body removes the stream from
        // the count. If the stream were counted here and its body never ran, the stream would stay counted.
        return Reply(
            .events { writer in
                guard self.enter(stream, isBegun: true) else { return }
                defer { self.close(stream) }
                self.beginLooking()
                self.tellTap()
                try await stream.run(in: self, from: position ?? StreamPosition(), &writer)
            }
        )
    }

    /// Returns whether the limits allow one more stream.
    ///
    /// If `isBegun` is true and the limits allow the stream, this call counts the stream.
    private func enter(_ stream: LiveStream, isBegun: Bool) -> Bool {
        state.withLock { state in
            let own = state.streams.values.count { $0.caller.name == stream.caller.name }
            guard state.streams.count < Self.streamsMax, own < Self.perOperatorMax else { return false }
            if isBegun { state.streams[stream.id] = stream }
            return true
        }
    }

    /// Stops counting the streams whose sessions have ended.
    ///
    /// Such a stream can still be open, for example because its client is slow to read the last events.
    private func dropEnded(at now: Instant) throws {
        for stream in state.withLock({ Array($0.streams.values) })
        where try access.end(of: stream.caller, at: now) != nil {
            close(stream)
        }
    }

    private func close(_ stream: LiveStream) {
        state.withLock { $0.streams[stream.id] = nil }
        tellTap()
    }

    private func tellTap() {
        let streams = state.withLock { $0.isStopping ? [] : Array($0.streams.values) }
        let wanted = streams.flatMap(\.watches).compactMap { watch -> DeviceID?? in
            if case .tap(let did) = watch { .some(did) } else { nil }
        }
        tap.want(Set(wanted))
    }

    private func change(_ call: OperationCall) throws -> JSONObject {
        let id = call.parameter("stream")
        let stream = state.withLock { $0.streams[id] }
        guard let stream, stream.caller.name == call.caller.name else {
            throw Refused.notFound("stream with that id; open one")
        }
        stream.watches = try Watch.read(call.fields.texts("watch").map { Substring($0) })
        tellTap()
        return [:]
    }

    // MARK: Changes

    /// Looks for changes until no stream is open.
    private func beginLooking() {
        let begins = state.withLock { state in
            defer { state.isLooking = true }
            return !state.isLooking
        }
        guard begins else { return }
        Task {
            while mayLook() {
                let changes = changes
                let hasChanged = try? await context.threads.run { try changes?.hasChanged() ?? true }
                if hasChanged ?? true { state.withLock { $0.generation += 1 } }
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    private func mayLook() -> Bool {
        state.withLock { state in
            if state.streams.isEmpty || state.isStopping { state.isLooking = false }
            return state.isLooking
        }
    }
}
