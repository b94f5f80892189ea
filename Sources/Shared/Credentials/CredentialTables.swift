/// The newest record of each principal.
package struct CredentialTables: Sendable {
    /// The secrets of products, by product key.
    package private(set) var products: [String: Digest] = [:]
    /// The secrets of devices, by did.
    package private(set) var devices: [String: Digest] = [:]
    /// The moment from which certificates count, by did, in milliseconds since the Unix epoch.
    package private(set) var certificates: [String: Int64] = [:]
    /// The secrets of apps, by app id.
    package private(set) var apps: [String: Digest] = [:]
    /// Back-end services, by name.
    package private(set) var services: [String: ServiceEntry] = [:]
    /// Terminals with a session or with one that ended, by terminal id.
    package private(set) var terminals: [String: TerminalEntry] = [:]

    /// The largest number of a device's connection that the service knew.
    package private(set) var lastConnection: Int64 = 0

    /// Starts without principals.
    package init() {}

    /// Applies one record.
    package mutating func apply(_ record: Record) {
        switch record {
        case .product(let key, let secret): products[key] = secret
        case .device(let did, let secret): devices[did] = secret
        case .app(let appId, let secret): apps[appId] = secret
        case .service(let name, let secret, let role): services[name] = ServiceEntry(secret: secret, role: role)
        case .terminal(let terminalId, let appId, let session):
            terminals[terminalId] = TerminalEntry(appId: appId, session: session)
        case .connections(let known): lastConnection = known
        case .certificates(let did, let from): certificates[did] = from
        case .removed(let kind, let key): remove(kind, key)
        }
    }

    private mutating func remove(_ kind: Record.Kind, _ key: String) {
        switch kind {
        case .product: products[key] = nil
        case .device: devices[key] = nil
        case .app: apps[key] = nil
        case .service: services[key] = nil
        case .terminal: terminals[key] = nil
        case .connections: lastConnection = 0
        case .certificates: certificates[key] = nil
        }
    }
}

/// A back-end service's secret and rights.
package struct ServiceEntry: Sendable, Equatable {
    /// The SHA-256 of its secret.
    package var secret: Digest
    /// Its rights.
    package var role: Role
}

/// The app a terminal belongs to, and the session on it.
package struct TerminalEntry: Sendable, Equatable {
    /// The app.
    package var appId: String
    /// The session; nil after its end.
    package var session: Session?
}
