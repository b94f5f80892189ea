import Credentials

/// The identity that a connection claims with its username and a matching client id.
enum Principal: Equatable, Sendable {
    /// A device that registers because it has no identity yet.
    case product(key: String, mac: String)
    case device(did: String)
    case terminal(terminalId: String, appId: String)
    /// A user's Home Assistant, which connects with a session of its own (`Session.isLink`).
    case link(sessionId: String)
    case service(name: String)

    /// Parses a username and a client id.
    init(username: String, clientId: String) throws(RefusalReason) {
        guard let (kind, name) = Self.split(username) else { throw .badUsername }
        let id = Array(clientId.utf8)
        switch kind {
        case "product":
            guard Self.isMAC(id) else { throw .badClientId }
            self = .product(key: name, mac: clientId)
        case "device":
            guard Self.isDID(id), clientId == name else { throw .badClientId }
            self = .device(did: name)
        case "app":
            guard id.count == 32, id.allSatisfy(\.isLowercaseHex) else { throw .badClientId }
            self = .terminal(terminalId: clientId, appId: name)
        case "ha":
            // At each start, Home Assistant makes a new client id of 22 letters and digits. No other principal's id has
            // this form.
            guard id.count == 22, id.allSatisfy(\.isLetterOrDigit) else { throw .badClientId }
            self = .link(sessionId: name)
        case "service":
            let prefix = Array("svc.\(name).".utf8)
            guard id.count > prefix.count, id.starts(with: prefix) else { throw .badClientId }
            self = .service(name: name)
        default: throw .badUsername
        }
    }

    /// Returns whether a username has one of the five forms and can therefore be shown.
    static func isWellFormed(username: String) -> Bool {
        guard let (kind, _) = split(username) else { return false }
        return ["product", "device", "app", "ha", "service"].contains(kind)
    }

    /// The id of the principal's terminal, or nil if the principal is neither a terminal nor a link.
    ///
    /// For a link, this is the terminal of the link's session.
    var terminalId: String? {
        switch self {
        case .terminal(let terminalId, _): terminalId
        case .link(let sessionId): Session.terminal(ofLink: sessionId)
        case .product, .device, .service: nil
        }
    }

    private static func split(_ username: String) -> (kind: String, name: String)? {
        let parts = username.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let kind = parts.first, let name = parts.last, parts.count == 2, (1...64).contains(name.count),
            name.allSatisfy(\.isIDCharacter)
        else { return nil }
        return (String(decoding: kind, as: UTF8.self), String(decoding: name, as: UTF8.self))
    }

    /// Returns whether an id has twelve lowercase hex digits or an IMEI's fifteen digits.
    private static func isMAC(_ id: [UInt8]) -> Bool {
        switch id.count {
        case 12: id.allSatisfy(\.isLowercaseHex)
        case 15: id.allSatisfy(\.isDigit)
        default: false
        }
    }

    /// Returns whether an id consists of `d-` and further characters, and ends with two hex digits.
    private static func isDID(_ id: [UInt8]) -> Bool {
        (4...64).contains(id.count) && id.starts(with: "d-".utf8)
            && id.allSatisfy(\.isIDCharacter) && id.suffix(2).allSatisfy(\.isLowercaseHex)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var isLetterOrDigit: Bool { isIDCharacter && self != UInt8(ascii: "_") && self != UInt8(ascii: "-") }

    fileprivate var isLowercaseHex: Bool { isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self) }
}
