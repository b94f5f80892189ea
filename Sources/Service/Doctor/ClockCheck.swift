import Domain
import Files
import Foundation
import Problems
import ServiceSettings
import Workers

/// The check that the clock is set and hasn't jumped since the service started.
struct ClockCheck {
    let directory: DataDirectory
    let settings: Settings
    /// The longest wait for the service's answer.
    let patience: Duration

    private let check = Check(.doctorClock, "the clock is set")
    /// The smallest jump of the clock, in seconds, that noticeably affects commands and statuses.
    private static let stepWarn = 2.0
    /// The smallest clock jump, in seconds, after which devices' correct times count as wrong.
    private static let stepFail = Double(Report.aheadMaxSeconds)

    func run() -> Finding {
        let now = SystemClock().now
        let shown = Date(timeIntervalSince1970: Double(now.milliseconds) / 1000).formatted(.iso8601)
        // The constant is the time 2025-01-01, before which no version of this program existed.
        guard now.milliseconds > 1_735_689_600_000 else {
            return check(.fail, "system clock", found: "it says \(shown)")
                .cured(by: "set the clock: reports, codes and sessions depend on it", "sudo timedatectl set-ntp true")
        }
        let isWatched = TextFile.exists("/run/systemd/timesync")
        guard !isWatched || TextFile.exists("/run/systemd/timesync/synchronized") else {
            return check(.warn, "system clock", found: "\(shown), not synchronised yet")
                .cured(by: "find out why the time service finds no server", "timedatectl timesync-status")
        }
        guard let step, abs(step) >= Self.stepWarn else {
            return check(.pass, "system clock", found: FindingText(verbatim: shown))
        }
        let signed = (step < 0 ? "" : "+") + String(Int(step.rounded()))
        let evidence: FindingText = "\(shown); the clock was changed by \(signed) s since the service started"
        let cure: FindingText = """
            find out what changes the clock, start the service after time-sync.target, and restart the service once \
            the time is right: changes are measured from then on
            """
        return check(abs(step) >= Self.stepFail ? .fail : .warn, "system clock", found: evidence)
            .cured(by: cure, "timedatectl")
    }

    /// The clock jump that the service reports, in seconds, or nil if the service doesn't answer.
    private var step: Double? {
        guard let page = HealthPort.read("/metrics", of: directory, settings, within: patience) else { return nil }
        let name = "lamplighter_clock_step_seconds "
        return String(decoding: page, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix(name) }
            .flatMap { Double($0.dropFirst(name.count)) }
    }
}
