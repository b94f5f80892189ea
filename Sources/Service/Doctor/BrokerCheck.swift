import Files
import Mosquitto
import Problems
import ServiceSettings

/// The check that the broker lets the command-line tools connect, answers them, and drops no messages.
struct BrokerCheck {
    let directory: DataDirectory
    let settings: Settings

    func run() -> Finding {
        let check = Check(.doctorBroker, "the broker answers and drops nothing")
        let (host, port) = ToolClient(directory, settings).address
        let subject = "\(host):\(port)"
        guard Ports.accepts(host, port) else {
            let start = "lamplighter up --data '\(directory.path)'"
            return check(.fail, subject, found: "nothing listens there")
                .cured(by: "start the service, or see mqtt.host and mqtt.port", start)
        }
        do {
            let facts = try ask()
            let dropped = facts["$SYS/broker/publish/messages/dropped"] ?? "0"
            let version = facts["$SYS/broker/version"].map { FindingText(verbatim: $0) } ?? "version unknown"
            let connected = facts["$SYS/broker/clients/connected"] ?? "?"
            let evidence: FindingText =
                "\(version), \(connected) connected, \(dropped) messages dropped since its start"
            return check(dropped == "0" ? .pass : .warn, subject, found: evidence)
                .cured(by: "a client is too slow or offline for too long; see broker.queuedMessages")
        } catch {
            let why = (error as? Problem)?.why ?? "\(error)"
            return check(.fail, subject, found: FindingText(verbatim: why))
                .cured(by: "see the broker's log", "cat '\(directory.brokerLog)'")
        }
    }

    private func ask() throws -> [String: String] {
        let filters = ["$SYS/broker/version", "$SYS/broker/clients/connected", "$SYS/broker/publish/messages/dropped"]
        return try ToolClient(directory, settings).connect { client in
            var facts: [String: String] = [:]
            try client.subscribe(
                filters,
                options: SubscribeOptions(retainHandling: .always)
            )
            var intake = Intake()
            let deadline = ContinuousClock.now + ServiceLimits.probeAnswerMax
            while facts.count < filters.count && ContinuousClock.now < deadline {
                try client.receive(wait: .milliseconds(200), into: &intake)
                for delivery in intake.deliveries { facts[intake.text(delivery.topic)] = intake.text(delivery.payload) }
                try client.flush()
            }
            return facts
        }
    }
}
