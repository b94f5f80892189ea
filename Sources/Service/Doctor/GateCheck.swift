import Files
import Mosquitto
import Problems
import ServiceSettings
import Workers

/// The check that the broker has the gate, and that the gate refuses strangers.
struct GateCheck {
    let directory: DataDirectory
    let settings: Settings

    func run() -> Finding {
        let check = Check(.doctorGate, "the gate refuses unknown clients")
        let (host, port) = ToolClient(directory, settings).address
        let broker = "\(host):\(port)"
        guard Ports.accepts(host, port) else { return check(.skip, broker, found: "no broker answers") }
        let file = settings.gateFile ?? directory.credentials
        guard settings.isGateElsewhere || TextFile.exists(file) else {
            return check(.fail, file, found: "the gate's file is missing, so the gate admits only workers")
                .cured(by: "restart the service, which writes the file", "lamplighter up --data '\(directory.path)'")
        }
        if isStrangerLetIn(host, port) {
            return check(.fail, broker, found: "a client without a name was admitted: the broker runs without the gate")
                .cured(by: "load libLamplighterGate.so in the broker's configuration; see deploy/mosquitto")
        }
        return check(.pass, broker, found: "a client without a name was refused; \(Self.sourceAddresses)")
    }

    /// The part of the report that explains how the limits count connections by their source address.
    ///
    /// Mosquitto 2.0 doesn't support the PROXY protocol (2.1 does). The broker therefore sees the proxy's address
    /// instead of the client's. A proxy on this machine is exempt from the limits. A proxy on another machine counts as
    /// a single address.
    private static let sourceAddresses: FindingText = """
        limits by source address count connections to the broker (IPv6 by its /64): a proxy counts \
        as one address, 127.0.0.1 and ::1 are exempt
        """

    private func isStrangerLetIn(_ host: String, _ port: Int) -> Bool {
        let clientID = DoctorProbe(directory, settings).clientID(at: SystemClock().now)
        var options = ConnectionOptions(host: host, port: port, clientID: clientID)
        options.cleanStart = true
        options.sessionExpirySeconds = 0
        options.connectTimeout = ServiceLimits.probeConnectMax
        options.tls = settings.mqttTLS
        let session = try? { () throws -> Bool in
            var client = try MosquittoClient(options, waker: Waker())
            _ = try client.connect()
            client.disconnect()
            return true
        }()
        return session == true
    }
}

/// An explanation of how the limits count connections by source address.
struct AddressCheck {
    let settings: Settings

    func run() -> Finding {
        let check = Check(.doctorAddresses, "limits count by source address")
        let host = settings.mqttHost
        let isLocal = host == "localhost" || host == "::1" || host.hasPrefix("127.")
        let rule: FindingText = """
            a connection counts by its address, for IPv6 by its /64; 127.0.0.1 and ::1 are exempt; \
            Mosquitto 2.0 does not support the PROXY protocol, so a proxy counts as one address
            """
        let evidence: FindingText =
            isLocal ? "\(rule); \(host) is this machine: clients behind a proxy on it are not counted" : rule
        return check(.pass, host, found: evidence)
    }
}
