/// Which source addresses limits count by.
struct AddressCheck {
    let settings: Settings

    func run() -> Finding {
        let title = "limits count by source address"
        let host = settings.mqttHost
        let isLocal = host == "localhost" || host == "::1" || host.hasPrefix("127.")
        let rule =
            "the address of a connection counts, of IPv6 its /64; 127.0.0.1 and ::1 are exempt;"
            + " Mosquitto 2.0 takes no PROXY protocol, so a proxy counts as one address"
        let evidence =
            isLocal
            ? "\(rule); \(host) is this machine: clients behind a proxy on it are not counted"
            : rule
        return Finding(.doctorAddresses, title, .pass, host, evidence)
    }
}
