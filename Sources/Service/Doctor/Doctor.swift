import Domain
package import Files
package import JSON
package import ServiceSettings
package import Storage
import Workers

/// A read-only examination of a data directory and of a service running on it.
package struct Doctor {
    /// The groups of checks that can be selected, in the order in which they run.
    package static let groups = [
        "service", "store", "history", "database", "secrets", "disk", "clock", "limits", "broker",
        "gate",
        "refusals", "webhooks",
        "addresses", "backup", "certificates",
    ]

    private let settings: Settings
    private let directory: DataDirectory
    private let patience: Duration
    private let store: Store?

    /// Prepares an examination, which waits less than a second for the service's answers if `isQuick` is set.
    ///
    /// In the service's process, `store` is the service's own store. If the doctor opened and closed the store's file a
    /// second time, the process would lose its locks on the file.
    package init(
        settings: Settings,
        directory: DataDirectory,
        isQuick: Bool,
        store: Store? = nil
    ) {
        (self.store, self.settings, self.directory) = (store, settings, directory)
        patience = isQuick ? ServiceLimits.quickAnswerMax : ServiceLimits.probeAnswerMax
    }

    /// Runs the checks of the given groups.
    package func examine(_ groups: [String]) async -> [Finding] {
        var findings: [Finding] = []
        for group in Self.groups where groups.contains(group) {
            let began = ContinuousClock.now
            let found =
                if let blocking = checkBlocking(group) {
                    blocking
                } else {
                    [
                        await CertificateCheck(directory: directory, settings: settings)
                            .run(at: SystemClock().now)
                    ]
                }
            findings += found.map { Self.timed($0, since: began) }
        }
        return findings
    }

    /// Runs the blocking checks of the given groups: all checks except the check of certificates.
    package func examineBlocking(_ groups: [String]) -> [Finding] {
        Self.groups.filter(groups.contains).flatMap { group in
            let began = ContinuousClock.now
            return (checkBlocking(group) ?? []).map { Self.timed($0, since: began) }
        }
    }

    /// Returns the findings of a group, or nil for the certificates, whose check doesn't block.
    private func checkBlocking(_ group: String) -> [Finding]? {
        group == "database"
            ? DatabaseChecks(directory: directory, place: StorePlace(settings)).run() : check(group).map { [$0] }
    }

    private static func timed(
        _ finding: Finding,
        since began: ContinuousClock.Instant
    ) -> Finding {
        var finding = finding
        let (seconds, attoseconds) = (ContinuousClock.now - began).components
        finding.milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        return finding
    }

    /// Returns the report as a JSON object with the members `version`, `ok` and `checks`.
    package static func json(_ findings: [Finding]) -> JSONValue {
        .object(["version": 1, "ok": .bool(exitCode(findings) == 0), "checks": .array(findings.map(\.json))])
    }

    /// Returns the report for the console, with the words and the inserted values of each text as separate members.
    package static func jsonWithWords(_ findings: [Finding]) -> JSONObject {
        ["version": 1, "ok": .bool(exitCode(findings) == 0), "checks": .array(findings.map(\.jsonWithWords))]
    }

    /// Returns the exit code: 1 if a check failed, 3 if no check failed but one warned, and otherwise 0.
    package static func exitCode(_ findings: [Finding]) -> Int32 {
        if findings.contains(where: { $0.state == .fail }) { return 1 }
        return findings.contains { $0.state == .warn } ? 3 : 0
    }

    /// Returns the finding of a group that has only one check, or nil for the certificates.
    private func check(_ group: String) -> Finding? {
        switch group {
        case "service": ServiceCheck(directory: directory, settings: settings, patience: patience).run()
        case "store": StoreCheck(directory: directory, place: StorePlace(settings), store: store).run()
        case "history":
            HistoryCheck(directory: directory, place: StorePlace(settings), limits: Limits(settings), store: store)
                .run()
        case "secrets": SystemChecks.secrets(directory)
        case "disk": SystemChecks.disk(directory, settings.diskReserve)
        case "clock":
            ClockCheck(directory: directory, settings: settings, patience: patience).run()
        case "limits": SystemChecks.limits(settings)
        case "broker": BrokerCheck(directory: directory, settings: settings).run()
        case "webhooks": WebhookCheck(directory: directory, place: StorePlace(settings), store: store).run()
        case "refusals": RefusalCheck(directory: directory, place: StorePlace(settings), store: store).run()
        case "certificates": nil
        case "backup": BackupCheck(directory: directory, place: StorePlace(settings)).run()
        case "addresses": AddressCheck(settings: settings).run()
        default: GateCheck(directory: directory, settings: settings).run()
        }
    }
}
