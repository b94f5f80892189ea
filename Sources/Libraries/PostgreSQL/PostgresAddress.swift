import CPostgreSQL

/// The address of a PostgreSQL database, with hosts, user and options, as in libpq's connection string.
///
/// The password isn't part of the address. The password comes from a separate file, from `.pgpass`, or from a service
/// file.
package struct PostgresAddress: Sendable, Equatable {
    /// The reason why an address is invalid, without the address itself.
    package enum Fault: Error {
        /// The string is not an address.
        case malformed
        /// The string contains a password, which process lists and logs would show.
        case hasPassword
    }

    private struct Parameter: Equatable {
        let name: String
        let value: String
    }

    private let given: [Parameter]

    /// The default parameters, which apply unless an address sets them.
    ///
    /// With these parameters, libpq connects to the first host that is writable. If a host is cut off, the system
    /// notices within 5 s.
    private static let standards = [
        Parameter(name: "application_name", value: "lamplighter"), Parameter(name: "client_encoding", value: "UTF8"),
        Parameter(name: "connect_timeout", value: "3"), Parameter(name: "keepalives_count", value: "3"),
        Parameter(name: "keepalives_idle", value: "2"), Parameter(name: "keepalives_interval", value: "1"),
        Parameter(name: "target_session_attrs", value: "read-write"),
        Parameter(name: "tcp_user_timeout", value: "5000"),
    ]

    /// Parses an address of the form `postgres://user@host1,host2/database?…`, or of libpq's form `host=… dbname=…`.
    package init(_ text: String) throws(Fault) {
        var complaint: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &complaint) else {
            PQfreemem(complaint)
            throw .malformed
        }
        defer { PQconninfoFree(options) }
        var given: [Parameter] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                given.append(Parameter(name: String(cString: keyword), value: String(cString: value)))
            }
            option += 1
        }
        guard !given.contains(where: { $0.name.hasSuffix("password") }) else { throw .hasPassword }
        self.given = given
    }

    /// The hosts and the name of the database, for display.
    package var place: String {
        let names = value("host") ?? value("hostaddr") ?? value("service") ?? "this machine"
        let hosts = names.split(separator: ",")
        // The address has either one port for all hosts, or one port for each host.
        let ports = value("port")?.split(separator: ",") ?? []
        let places = hosts.indices.map { number -> String in
            guard let port = number < ports.count ? ports[number] : ports.first else { return String(hosts[number]) }
            return "\(hosts[number]):\(port)"
        }
        return "\(places.joined(separator: ","))/\(value("dbname") ?? value("user") ?? "")"
    }

    /// Whether the address leads to this machine, by a local socket or by a loopback address.
    package var isLocal: Bool {
        guard let hosts = value("hostaddr") ?? value("host") else { return value("service") == nil }
        return hosts.split(separator: ",").contains { host in
            host.hasPrefix("/") || host.hasPrefix("127.") || ["localhost", "::1"].contains(host)
        }
    }

    private func value(_ name: String) -> String? { given.first { $0.name == name }?.value }

    /// Calls `body` with a list of names and a list of values, which both end in NULL.
    func lend<Value>(
        password: String?,
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<UnsafePointer<CChar>?>?) -> Value
    ) -> Value {
        let own = Self.standards.filter { value($0.name) == nil }
        let secret = password.map { [Parameter(name: "password", value: $0)] } ?? []
        let all = own + given + secret
        var bytes: [CChar] = []
        var starts: [(name: Int, value: Int)] = []
        for parameter in all {
            let name = bytes.count
            bytes += parameter.name.utf8CString
            starts.append((name, bytes.count))
            bytes += parameter.value.utf8CString
        }
        return bytes.withUnsafeBufferPointer { bytes in
            func pointers(_ starts: [Int]) -> [UnsafePointer<CChar>?] {
                starts.map { start in bytes.baseAddress.map { $0 + start } } + [nil]
            }
            return pointers(starts.map(\.name)).withUnsafeBufferPointer { names in
                pointers(starts.map(\.value)).withUnsafeBufferPointer { values in
                    body(names.baseAddress, values.baseAddress)
                }
            }
        }
    }
}
