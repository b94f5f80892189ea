import Glibc
import Problems

/// Checks of TCP ports: whether they are free, and whether they accept connections.
package enum Ports {
    /// Returns the requested port if it is free at all addresses.
    ///
    /// If the requested port is 0, the function chooses a port that is free at all addresses, and returns that port.
    ///
    /// - Throws: A `Problem`. If a port is in use, the problem names the program that uses the port. It also suggests
    ///   `cure`, the arguments that make `up` use any free port. If an address doesn't belong to this machine, the
    ///   problem names the setting `hostSetting`.
    package static func choose(
        _ port: Int,
        hosts: [String],
        hostSetting: String? = nil,
        cure: String,
        purpose: String
    ) throws -> Int {
        if port == 0, let free = quietPort(hosts) { return free }
        var chosen = port
        for host in hosts {
            switch bind(host, chosen) {
            case .success(let port): chosen = port
            case .failure(let error):
                if error.number == EADDRNOTAVAIL, let hostSetting {
                    throw Problem.addressNotOurs(setting: hostSetting, host: host, purpose: purpose)
                }
                throw problem(error.number, port, host: host, cure: cure, purpose: purpose)
            }
        }
        return chosen
    }

    /// Returns whether this machine can listen on an address.
    static func canListen(_ host: String) -> Bool { if case .success = bind(host, 0) { true } else { false } }

    /// Returns a free port that the system doesn't use for outgoing connections, or nil if none is found.
    ///
    /// An outgoing connection therefore can't take the port before the service's listener opens it.
    private static func quietPort(_ hosts: [String]) -> Int? {
        (0..<50).lazy.map { _ in Int.random(in: 15_000..<32_000) }.first { port in
            hosts.allSatisfy { if case .success = bind($0, port) { true } else { false } }
        }
    }

    /// Returns whether a program accepts connections on a port.
    package static func accepts(_ host: String, _ port: Int) -> Bool {
        guard let address = SocketAddress(host, port) else { return false }
        let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return address.withPointer { connect(descriptor, $0, $1) } == 0
    }

    private static func bind(_ host: String, _ port: Int) -> Result<Int, SpawnError> {
        guard let address = SocketAddress(host, port) else { return .failure(SpawnError(number: EADDRNOTAVAIL)) }
        let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return .failure(SpawnError(number: errno)) }
        defer { close(descriptor) }
        // The broker can listen on a port that still has connections in TIME_WAIT. With SO_REUSEADDR, this check
        // doesn't consider such a port taken.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard address.withPointer({ Glibc.bind(descriptor, $0, $1) }) == 0, listen(descriptor, 1) == 0 else {
            return .failure(SpawnError(number: errno))
        }
        return .success(port == 0 ? SocketAddress.port(of: descriptor) : port)
    }

    private static func problem(_ number: Int32, _ port: Int, host: String, cure: String, purpose: String) -> Problem {
        guard number == EADDRINUSE else {
            let error = SpawnError(number: number)
            return .portUnusable(host: host, port: port, error: error, purpose: purpose, cure: cure)
        }
        let holder = PortHolder.find(port)
        let who = holder.map { " by \($0.name) (pid \($0.pid))" } ?? ""
        var cures = [Problem.Cure("lamplighter up \(cure)", "any free port")]
        if let holder {
            cures.append(
                holder.name == "mosquitto" && holder.isSystemService
                    ? .init("systemctl disable --now mosquitto", "use Lamplighter's own instead")
                    : .init("kill \(holder.pid)", "end that program")
            )
        }
        return Problem(.portTaken, "port \(port) is taken\(who)", at: "\(host):\(port)", why: purpose, cures: cures)
    }
}
