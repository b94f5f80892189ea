import Credentials
import JSON

/// The messages about refusals and their reasons, at most a hundred per second.
struct Refusals {
    /// The topic of messages about refusals.
    let topic: String
    private let perSecond: Int
    private var second: Int64 = 0
    private var told = 0
    private var suppressed: Int64 = 0
    /// The clients whose refusal as `tooFast` or `busy` was published in this second.
    private var tooFast: Set<String> = []
    private var tooFastSecond: Int64 = 0

    /// A refusal, with the client, the access and the reason.
    struct Entry {
        enum Action: String {
            case connect, publish, subscribe, receive
        }

        var username: String?
        var clientId: String
        var address: String
        var action: Action
        var topic: String?
        var reason: RefusalReason
    }

    init(root: String, perSecond: Int = 100) {
        topic = "\(root)/system/refusal"
        self.perSecond = perSecond
    }

    /// Returns whether a topic is the topic of messages about refusals.
    ///
    /// A refused access to this topic must not be reported on the topic itself.
    func isOwn(_ other: Bytes) -> Bool { other.elementsEqual(topic.utf8) }

    /// Returns whether a refusal as `tooFast` or `busy` may be published.
    ///
    /// In each second, at most one such refusal is published per client, and at most `perSecond` for all clients.
    mutating func mayTellTooFast(_ key: String, at now: Int64) -> Bool {
        if now / 1_000 != tooFastSecond {
            tooFastSecond = now / 1_000
            tooFast.removeAll(keepingCapacity: true)
        }
        return tooFast.count < perSecond && tooFast.insert(key).inserted
    }

    /// Returns the message about a refusal, or nil if the limit for this second has been reached.
    mutating func message(about entry: Entry, at now: Int64) -> JSONObject? {
        if now / 1_000 != second {
            second = now / 1_000
            told = 0
        }
        guard told < perSecond else {
            suppressed &+= 1
            return nil
        }
        told &+= 1
        defer { suppressed = 0 }
        return [
            "username": .string(Self.shown(entry.username)), "clientId": .string(Self.cut(entry.clientId, to: 128)),
            "address": .string(entry.address), "action": .string(entry.action.rawValue),
            "topic": entry.topic.map { .string(Self.cut($0, to: 256)) }, "reason": .string(entry.reason.rawValue),
            "suppressed": suppressed > 0 ? .integer(suppressed) : nil, "ts": .integer(now),
        ]
    }

    /// Returns a username, or `?` if the username has an unknown form.
    ///
    /// A username of an unknown form could be a secret that was sent in the wrong field.
    private static func shown(_ username: String?) -> String {
        guard let username else { return "" }
        return Principal.isWellFormed(username: username) ? username : "?"
    }

    private static func cut(_ text: String, to count: Int) -> String {
        text.utf8.count <= count ? text : String(text.unicodeScalars.prefix(count / 4)) + "…"
    }
}
