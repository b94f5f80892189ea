import Domain
import JSON
import Wire

/// One message as it travelled, without its secrets.
struct TapLine: Sendable {
    /// What became of it.
    enum Outcome: String, Sendable {
        case accepted, refused, dead
    }

    /// Grows with each message that the tap has seen.
    var number: Int64 = 0
    var at: Instant
    /// Its topic, without the shard.
    var topic: String
    /// Its topic without ids, such as `device/+/report`.
    var branch: String
    /// Whether it goes to the service.
    var isIn: Bool
    var bytes: Int
    var payload: JSONValue?
    var outcome = Outcome.accepted
    /// Why it was refused, or became a dead letter.
    var reason: String?
    /// The device that it is about.
    var did: DeviceID?
    /// Who sent it, such as `device:d-…4f`.
    var talker: String?

    /// Characters of a payload that are shown.
    static let shownMax = 2_000

    /// The line as an operator sees it (`Tap`).
    func json(for role: OperatorRole, deviceName: String?) -> JSONValue {
        let payload = role < .admin ? payload.map(SecretMask.withoutAddresses) : payload
        return .object([
            "at": Shown.moment(at), "topic": .string(topic), "branch": .string(branch),
            "way": .string(isIn ? "in" : "out"), "bytes": Shown.count(bytes),
            "payload": payload.map(Self.cut), "outcome": .string(outcome.rawValue),
            "reason": reason.map { .string($0) }, "did": did.map { .string($0.text) },
            "deviceName": Shown.name(deviceName),
        ])
    }

    /// Returns a payload; of one that is too long the beginning of its text.
    private static func cut(_ payload: JSONValue) -> JSONValue {
        if case .string(let text) = payload {
            return .string(text.count > shownMax ? text.prefix(shownMax) + "…" : text)
        }
        let text = String(decoding: payload.encoded(), as: UTF8.self)
        return text.count > shownMax ? .string(text.prefix(shownMax) + "…") : payload
    }
}
