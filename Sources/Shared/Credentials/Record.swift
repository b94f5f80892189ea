/// A record of the gate's credentials file; most kinds of records admit or remove a principal.
///
/// A later record of the same kind and key replaces an earlier one. A key is an id of 1 to 64 characters of
/// `[A-Za-z0-9_-]`. A filter has 1 to 1,024 bytes, and a list has at most 64 filters.
package enum Record: Sendable, Equatable {
    /// Lets a product's devices connect with the product's secret, in order to register.
    case product(key: String, secret: Digest)
    /// Lets one device connect.
    case device(did: String, secret: Digest)
    /// Lets terminals of an app connect.
    case app(appId: String, secret: Digest)
    /// Lets a back-end service connect, with the rights of its role.
    case service(name: String, secret: Digest, role: Role)
    /// Assigns a terminal to its app, and contains the terminal's session.
    case terminal(terminalId: String, appId: String, session: Session?)
    /// Invalidates a device's certificates whose validity begins before `from`, in milliseconds since the Unix epoch.
    case certificates(did: String, from: Int64)
    /// The largest connection number that the store knows.
    ///
    /// The gate gives larger numbers to new connections, even if the clock has been set back.
    case connections(known: Int64)
    /// Removes the record of a kind and key.
    case removed(Kind, key: String)
}

extension Record {
    /// The kinds of records.
    package enum Kind: UInt8, Sendable, CaseIterable {
        case product = 1
        case device = 2
        case app = 3
        case service = 4
        case terminal = 5
        case connections = 6
        case certificates = 7
    }

    /// The record's kind.
    package var kind: Kind {
        switch self {
        case .product: .product
        case .device: .device
        case .app: .app
        case .service: .service
        case .terminal: .terminal
        case .connections: .connections
        case .certificates: .certificates
        case .removed(let kind, _): kind
        }
    }

    /// The key of the `connections` record, which exists only once.
    static let connectionsKey = "known"

    /// The minimum distance from the largest known connection number to the first number after a broker's restart.
    ///
    /// The service writes the next record of the kind `connections` before the gate has assigned this many numbers. The
    /// gate therefore never reuses a number that the service has seen.
    package static let connectionsLead: Int64 = 1_000_000

    /// The record's key, such as a product key, did, app id, service name or terminal id.
    package var key: String {
        switch self {
        case .product(let key, _), .removed(_, let key): key
        case .device(let did, _), .certificates(let did, _): did
        case .app(let appId, _): appId
        case .service(let name, _, _): name
        case .terminal(let terminalId, _, _): terminalId
        case .connections: Self.connectionsKey
        }
    }
}

/// A user's session on a terminal, with the fields that the gate needs.
package struct Session: Sendable, Equatable {
    /// The id of the session.
    package var sessionId: String
    /// The user who is logged in.
    package var uid: String
    /// The SHA-256 of the token with which the terminal connects during the session.
    package var token: Digest
    /// The time at which the session expires, in milliseconds since the Unix epoch.
    package var expiresAt: Int64
    /// The token that the last refresh replaced, or nil if it no longer works.
    package var old: OldToken?
    /// Whether the terminal has ever used a token of the session.
    ///
    /// If so, the gate no longer admits the terminal with the app's secret while the session lasts.
    package var isUsed: Bool

    /// Whether the session belongs to an API key; the uid of such a session equals the session id.
    ///
    /// The app's secret is never admitted on an API key's terminal.
    package var isKey: Bool { sessionId == uid }

    /// Whether the session belongs to a user's Home Assistant, which connects as `ha:{sessionId}`.
    ///
    /// On a Home Assistant's terminal, neither the app's secret nor the session's token is admitted.
    package var isLink: Bool { sessionId.utf8.starts(with: Self.linkPrefix.utf8) }

    /// The prefix with which the session id of a link begins.
    ///
    /// A link connects a user's Home Assistant. The rest of the session id is the id of the link's terminal.
    package static let linkPrefix = "l-"

    /// Returns the id of the terminal to which a link's session id belongs.
    package static func terminal(ofLink sessionId: String) -> String {
        String(decoding: sessionId.utf8.dropFirst(linkPrefix.utf8.count), as: UTF8.self)
    }

    /// Makes a session that expires at `expiresAt`, in milliseconds since the Unix epoch.
    package init(
        sessionId: String,
        uid: String,
        token: Digest,
        expiresAt: Int64,
        old: OldToken? = nil,
        isUsed: Bool = true
    ) {
        self.sessionId = sessionId
        self.uid = uid
        self.token = token
        self.expiresAt = expiresAt
        self.old = old
        self.isUsed = isUsed
    }
}

/// A replaced token, valid until the new token's first use, and never after `until`.
package struct OldToken: Sendable, Equatable {
    /// The SHA-256 of the token.
    package var token: Digest
    /// The time at which the token's validity ends, in milliseconds since the Unix epoch.
    package var until: Int64

    /// Makes an old token that works until `until` at the latest.
    package init(token: Digest, until: Int64) {
        (self.token, self.until) = (token, until)
    }
}

/// The rights of a service principal.
package enum Role: Sendable, Equatable {
    /// A worker reads and writes below the root and `homeassistant`, reads `$SYS`, and commands the gate.
    case worker
    /// A gateway sends codes and links to users, reads `system/outbound/#`, and writes `system/outbound/result`.
    case gateway
    /// A scheduler publishes triggers on `system/trigger/+`.
    case scheduler
    /// An identity provider ends sessions with messages on `system/session-invalid`.
    case identity
    /// A console reads everything below the root, at most a few hundred messages a second, and writes nothing.
    case console
    /// A custom service publishes and subscribes only within its own topic filters.
    case custom(publish: [String], subscribe: [String])
}
