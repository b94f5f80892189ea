package import Domain

/// The settings of the mail server and of the connection to it.
package struct SMTPSettings: Sendable, Equatable {
    /// The security of the connection.
    package enum Security: String, Sendable, CaseIterable {
        /// The connection starts without encryption, but no mail is sent unless the connection switches to TLS.
        case startTLS = "starttls"
        /// The connection uses TLS from the first byte.
        case tls
        /// The connection isn't encrypted, which is allowed only if the server is this machine.
        case none
    }

    /// The server's name.
    package var host: String
    /// The server's port.
    package var port: Int
    /// The security of the connection.
    package var security: Security
    /// The path of a file with the certificates to trust, or nil for the system's certificates.
    package var caFile: String?
    /// The username for the login, or nil for a server without a login.
    package var user: String?
    /// The password for the login.
    package var password: String?
    /// The longest time for connecting, in seconds.
    package var connectTimeoutSeconds: Int
    /// The maximum time for sending a mail, in seconds; closing the connection can then take the same time again.
    package var timeoutSeconds: Int

    /// Makes the settings, with a default port that depends on the connection's security.
    ///
    /// - Throws: `Rejection` with the field at fault: `host`, `port`, `security` or `user`.
    package init(
        host: String,
        port: Int? = nil,
        security: Security = .startTLS,
        caFile: String? = nil,
        user: String? = nil,
        password: String? = nil,
        connectTimeoutSeconds: Int = 10,
        timeoutSeconds: Int = 30
    ) throws(Rejection) {
        let isName = host.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        guard isName, (1...253).contains(host.utf8.count) else {
            throw .invalid("host", "The mail server's host must be a name or an IPv4 address.")
        }
        if let port, !(1...65_535).contains(port) {
            throw .invalid("port", "The mail server's port must be 1 to 65535.")
        }
        guard security != .none || ["127.0.0.1", "localhost"].contains(host) else {
            throw .invalid("security", "Without TLS, the mail server must be on this machine.")
        }
        guard (user == nil) == (password == nil) else {
            throw .invalid("user", "Give both the mail server's user and password, or neither.")
        }
        self.host = host
        self.port = port ?? Self.ports[security] ?? 587
        self.security = security
        self.caFile = caFile
        self.user = user
        self.password = password
        self.connectTimeoutSeconds = connectTimeoutSeconds
        self.timeoutSeconds = timeoutSeconds
    }

    private static let ports: [Security: Int] = [.startTLS: 587, .tls: 465, .none: 25]
}
