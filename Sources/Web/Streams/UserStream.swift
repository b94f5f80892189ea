import Domain
import JSON
import NIOCore
import ServiceLifecycle
import Synchronization

/// An open stream of a user's messages, as server-sent events.
final class UserStream: Sendable {
    private let link: BrokerLink
    private let early: [MQTTPacket]
    private let token: String
    private let find: @Sendable (_ token: String) async throws -> RequestFront.Holder?
    private let isBrokerSame: @Sendable () -> Bool
    private let leave: @Sendable () -> Void
    private let isStopping = Atomic(false)

    /// The maximum time without messages before the stream checks the broker and the client.
    private static let silenceMax: TimeAmount = .seconds(15)

    init(
        _ link: BrokerLink,
        early: [MQTTPacket],
        token: String,
        find: @escaping @Sendable (_ token: String) async throws -> RequestFront.Holder?,
        isBrokerSame: @escaping @Sendable () -> Bool,
        leave: @escaping @Sendable () -> Void
    ) {
        self.link = link
        self.early = early
        self.token = token
        self.find = find
        self.isBrokerSame = isBrokerSame
        self.leave = leave
    }

    deinit {
        // The connection must be closed here too, because `stop` isn't called if the client leaves before the request
        // is answered.
        link.close()
        leave()
    }

    /// Sends messages until the connection to the broker ends or the service stops.
    ///
    /// - Throws: An error when the client is gone.
    @concurrent func run(root: String, _ writer: inout EventWriter) async throws {
        try await withGracefulShutdownHandler {
            // This empty comment line makes the server send the answer's head at once, even if there is no message yet.
            try await writer.write(Array(":\n\n".utf8))
            for packet in early { _ = try await pass(packet, root, to: &writer) }
            while true {
                switch await link.next(within: Self.silenceMax) {
                case .packet(let packet):
                    guard let reason = try await pass(packet, root, to: &writer) else { continue }
                    return try await writer.write(Self.end(reason))
                case .silence:
                    link.send(MQTTPacket.ping)
                    try await writer.write(Array(":\n\n".utf8))
                case .closed: return try await writer.write(Self.end(await reasonOfEnd(wasCutOff: false)))
                }
            }
        } onGracefulShutdown: {
            self.stop()
        }
    }

    /// Ends the stream because the service is stopping or the client has left.
    func stop() {
        isStopping.store(true, ordering: .relaxed)
        link.close()
    }

    /// Handles a packet, and returns a reason if the packet ends the stream.
    @concurrent private func pass(
        _ packet: MQTTPacket,
        _ root: String,
        to writer: inout EventWriter
    ) async throws -> String? {
        switch packet {
        case .message(let topic, let payload, let id):
            let behind = String(topic.dropFirst(root.count + 1))
            // Answers to HTTP requests aren't part of the stream, because the HTTP responses contain them.
            if !Self.isAnswer(behind) { try await writer.write(Self.event(behind, payload)) }
            if let id { link.send(MQTTPacket.acknowledge(id)) }
            return nil
        case .disconnected: return await reasonOfEnd(wasCutOff: true)
        case .connected, .subscribed, .other: return nil
        }
    }

    private static func isAnswer(_ topic: String) -> Bool {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        return levels.count == 5 && levels[0] == "app" && levels[3] == "http"
    }

    /// Returns the reason why the connection to the broker ended.
    ///
    /// Mosquitto 2.0.11 sends a DISCONNECT to a client only when the gate closes the client's connection.
    private func reasonOfEnd(wasCutOff: Bool) async -> String {
        if isStopping.load(ordering: .relaxed) { return "stopping" }
        if let refusal = try? await find(token)?.refusal { return refusal.reason ?? "expired" }
        if wasCutOff { return "tooSlow" }
        // A stopping broker closes the stream's connection and the service's connection at slightly different times.
        // The stream therefore waits briefly before it checks whether the broker is still running.
        try? await Task.sleep(for: .milliseconds(300))
        return isBrokerSame() ? "takenOver" : "stopping"
    }

    // MARK: Events

    static func end(_ reason: String) -> [UInt8] {
        let object: JSONObject = ["reason": .string(reason)]
        return event("end", object.encoded())
    }

    /// Returns a server-sent event, with a `data` line for each line of the data.
    static func event(_ name: String, _ data: [UInt8]) -> [UInt8] {
        var bytes = Array("event: \(name)\n".utf8)
        let text = String(decoding: data, as: UTF8.self)
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            bytes += Array("data: \(line)\n".utf8)
        }
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }
}
