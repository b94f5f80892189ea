/// The tables of all principals, with the newest record of each.
package struct CredentialTables: Sendable {
    /// The secrets of products, by product key.
    package private(set) var products: [String: Digest] = [:]
    /// The secrets of devices, by did.
    package private(set) var devices: [String: Digest] = [:]
    /// The earliest accepted start time of a device's certificates, by did, in milliseconds since the Unix epoch.
    package private(set) var certificates: [String: Int64] = [:]
    /// The secrets of apps, by app id.
    package private(set) var apps: [String: Digest] = [:]
    /// The secrets and rights of back-end services, by name.
    package private(set) var services: [String: ServiceEntry] = [:]
    /// The terminals that have or had a session, by terminal id.
    package private(set) var terminals: [String: TerminalEntry] = [:]

    /// The largest connection number in the store, as stated by the newest record of the kind `connections`.
    package private(set) var lastConnection: Int64 = 0

    /// Makes tables without principals.
    package init() {}

    /// Applies a record, which replaces or removes an entry.
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
    /// The SHA-256 of the service's secret.
    package var secret: Digest
    /// The service's rights.
    package var role: Role
}

/// The app to which a terminal belongs, and the session on the terminal.
package struct TerminalEntry: Sendable, Equatable {
    /// The id of the app.
    package var appId: String
    /// The session; nil after the session has ended.
    package var session: Session?
}
