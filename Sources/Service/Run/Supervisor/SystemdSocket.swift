import Glibc

/// The socket on which a service of `Type=notify` sends `NAME=value` lines to systemd.
///
/// sd_notify(3) defines the names. The protocol is stable, so systemd's library isn't needed.
struct SystemdSocket: Sendable {
    /// Systemd's variables, which child processes don't inherit, since children could otherwise report in the service's
    /// name.
    static let variables = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]

    /// The time without a report after which systemd restarts the service, or nil if systemd doesn't watch the service.
    let watchdog: Duration?
    private let address: sockaddr_un
    private let length: socklen_t

    /// Reads the socket's address, or returns nil if systemd requests no reports.
    ///
    /// - Parameters:
    ///   - environment: The variables that systemd sets.
    ///   - pid: The id of this process. The watchdog is ignored if `WATCHDOG_PID` is another id.
    init?(_ environment: [String: String], pid: pid_t = getpid()) {
        guard let path = environment["NOTIFY_SOCKET"], path.utf8.count > 1, let first = path.utf8.first,
            first == UInt8(ascii: "/") || first == UInt8(ascii: "@")
        else { return nil }
        var bytes = Array(path.utf8)
        // An abstract address begins with a NUL byte, which systemd writes as @.
        if first == UInt8(ascii: "@") { bytes[0] = 0 }
        var address = sockaddr_un()
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        self.address = address
        let header = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        length = socklen_t(header + bytes.count)
        let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(pid)" } ?? true
        watchdog = environment["WATCHDOG_USEC"].flatMap(Int64.init)
            .flatMap { isMeant && $0 > 0 ? .microseconds($0) : nil }
    }

    /// Sends some lines as one message, and ignores failures.
    func send(_ lines: [String]) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let text = Array(lines.joined(separator: "\n").utf8)
        _ = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
                sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), peer, length)
            }
        }
    }
}
