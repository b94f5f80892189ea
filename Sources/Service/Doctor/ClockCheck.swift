import Domain
import Files
import Foundation
import Problems
import ServiceSettings
import Workers

/// The check that the machine's clock is set, and was not stepped while the service ran.
struct ClockCheck {
    let directory: DataDirectory
    let settings: Settings
    /// The time that the service has to answer.
    let patience: Duration

    private let check = Check(.doctorClock, "the clock is set")
    /// The smallest step, in seconds, that noticeably affects commands and statuses.
    private static let stepWarn = 2.0
    /// The smallest step, in seconds, that makes devices' correct times count as wrong.
    private static let stepFail = Double(Report.aheadMaxSeconds)

    func run() -> Finding {
        let now = SystemClock().now
        let shown = Date(timeIntervalSince1970: Double(now.milliseconds) / 1000)
            .formatted(.iso8601)
        // 2025-01-01: before that no version of this program existed.
        guard now.milliseconds > 1_735_689_600_000 else {
            return check(
                .fail,
                "system clock",
                evidence: "it says \(shown)",
                cure: "set it: reports, codes and sessions depend on it",
                command: "sudo timedatectl set-ntp true"
            )
        }
        let isWatched = TextFile.exists("/run/systemd/timesync")
        guard !isWatched || TextFile.exists("/run/systemd/timesync/synchronized") else {
            return check(
                .warn,
                "system clock",
                evidence: "\(shown), not synchronised yet",
                cure: "see why the time service finds no server",
                command: "timedatectl timesync-status"
            )
        }
        guard let step, abs(step) >= Self.stepWarn else {
            return check(.pass, "system clock", evidence: FindingText(verbatim: shown))
        }
        let signed = (step < 0 ? "" : "+") + String(Int(step.rounded()))
        return check(
            abs(step) >= Self.stepFail ? .fail : .warn,
            "system clock",
            evidence: "\(shown); it was changed by \(signed) s since the service started",
            cure:
                "see what changes it, start the service after time-sync.target, and restart it once the time is right: it measures from then on",
            command: "timedatectl"
        )
    }

    /// The step that the running service reports; nil without an answer.
    private var step: Double? {
        guard let page = HealthPort.read("/metrics", of: directory, settings, within: patience) else { return nil }
        let name = "lamplighter_clock_step_seconds "
        return String(decoding: page, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix(name) }
            .flatMap { Double($0.dropFirst(name.count)) }
    }
}
