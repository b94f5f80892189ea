/// One record of the gate's credentials file, which admits or removes a principal.
///
/// A later record of the same kind and key replaces an earlier one. Keys are ids: 1 to 64 characters of
/// `[A-Za-z0-9_-]`; filters are 1 to 1,024 bytes, at most 64 in a list.
package enum Record: Sendable, Equatable {
    /// Lets devices of a product connect to register if they have no identity yet.
    case product(key: String, secret: Digest)
    /// Lets one device connect.
    case device(did: String, secret: Digest)
    /// Lets terminals of an app connect.
    case app(appId: String, secret: Digest)
    /// Lets a back-end service connect, with the rights of its role.
    case service(name: String, secret: Digest, role: Role)
    /// Ties a terminal to its app, and names its session.
    case terminal(terminalId: String, appId: String, session: Session?)
    /// Voids certificates of a device that begin before a moment, in milliseconds since the Unix epoch.
    case certificates(did: String, from: Int64)
    /// The largest number of a device's connection that the store knows: the gate continues from there, even if the
    /// clock was set back.
    case connections(known: Int64)
    /// Removes the record of that kind and key.
    case removed(Kind, key: String)
}

extension Record {
    /// The kinds of principal that have records.
    package enum Kind: UInt8, Sendable, CaseIterable {
        case product = 1
        case device = 2
        case app = 3
        case service = 4
        case terminal = 5
        case connections = 6
        case certificates = 7
    }

    /// The kind of principal that this record is about.
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

    /// The key of the only record of that kind.
    static let connectionsKey = "known"

    /// The distance from the largest known number to a broker's first number: more connections than begin between two
    /// such records, so that the gate never reuses a number that the service has seen.
    package static let connectionsLead: Int64 = 1_000_000

    /// The principal's key: product key, did, app id, service name or terminal id.
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
    /// The SHA-256 of the token that stands in for the app's secret while the session lives.
    package var token: Digest
    /// The end of the session, in milliseconds since the Unix epoch.
    package var expiresAt: Int64
    /// The token before a refresh, while it still works.
    package var old: OldToken?
    /// Whether a token of the session was ever used: until then, the app's secret connects as its terminal too.
    package var isUsed: Bool

    /// Whether it is an API key, which is its own user: the app's secret is never admitted on its terminal.
    package var isKey: Bool { sessionId == uid }

    /// Describes a session that lives until `expiresAt`, in milliseconds since the Unix epoch.
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

/// A token that a refresh replaced: valid until the new token's first use, and no longer than `until`.
package struct OldToken: Sendable, Equatable {
    /// The SHA-256 of the token.
    package var token: Digest
    /// The end of its validity, in milliseconds since the Unix epoch.
    package var until: Int64

    /// Describes a token that works until a moment.
    package init(token: Digest, until: Int64) {
        self.token = token
        self.until = until
    }
}

/// The rights of a service principal.
package enum Role: Sendable, Equatable {
    /// Reads and writes everything below the root, reads `$SYS`, commands the gate.
    case worker
    /// Sends codes and links out: reads `system/outbound/#`, writes `system/outbound/result`.
    case gateway
    /// Fires schedules: writes `system/trigger/+`.
    case scheduler
    /// Ends sessions: writes `system/session-invalid`.
    case identity
    /// Reads everything below the root, some hundred messages a second, and writes nothing.
    case console
    /// Publishes and subscribes within its own MQTT filters only.
    case custom(publish: [String], subscribe: [String])
}
