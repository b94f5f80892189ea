import Administration
import Domain
import JSON
import Wire

/// A line of the tap: a message, a refusal or a dead letter, without its secrets.
struct TapLine: Sendable {
    /// The outcome of a message.
    enum Outcome: String, Sendable {
        case accepted, refused, dead
    }

    /// The line's number, which grows with each message that the tap has seen.
    var number: Int64 = 0
    var at: Instant
    /// The message's topic, without the shard.
    var topic: String
    /// The message's topic with ids replaced by `+`, such as `device/+/report`.
    var branch: String
    /// Whether the message is sent to the service.
    var isIn: Bool
    var bytes: Int
    var payload: JSONValue?
    var outcome = Outcome.accepted
    /// The reason why the message was refused or became a dead letter.
    var reason: String?
    /// The device that the message concerns.
    var did: DeviceID?
    /// The sender, such as `device:d-…4f`.
    var talker: String?

    /// The maximum number of characters of a payload that are shown.
    static let shownMax = 2_000

    /// Returns the line in the form of the schema's `Tap`, for an operator with the given role.
    func json(for role: OperatorRole, deviceName: String?) -> JSONValue {
        let payload = role < .admin ? payload.map(SecretMask.withoutAddresses) : payload
        return .object([
            "at": Shown.moment(at), "topic": .string(topic), "branch": .string(branch),
            "way": .string(isIn ? "in" : "out"), "bytes": Shown.count(bytes), "payload": payload.map(Self.cut),
            "outcome": .string(outcome.rawValue), "reason": reason.map { .string($0) },
            "did": did.map { .string($0.text) }, "deviceName": Shown.name(deviceName),
        ])
    }

    /// Returns a payload or, if the payload is too long, the beginning of its text.
    private static func cut(_ payload: JSONValue) -> JSONValue {
        if case .string(let text) = payload {
            return .string(text.count > shownMax ? text.prefix(shownMax) + "…" : text)
        }
        let text = String(decoding: payload.encoded(), as: UTF8.self)
        return text.count > shownMax ? .string(text.prefix(shownMax) + "…") : payload
    }
}
