import Files
import Foundation
import Logging
import Problems
import ServiceLifecycle
package import ServiceSettings
import Storage
import Synchronization
import Workers

/// A run of `lamplighter feed`, which copies credentials from another machine's database to the gate's file.
package struct FeedRun: Sendable {
    private let settings: Settings
    private let messages: RunMessages

    /// Prepares a run that writes the notice of its readiness to `messages`.
    package init(settings: Settings, messages: RunMessages) { (self.settings, self.messages) = (settings, messages) }

    /// Runs until the process receives SIGINT or SIGTERM.
    ///
    /// - Throws: A `Problem` if the settings don't name the database or the gate's file.
    package func run() async throws {
        LogSetup.install(settings)
        guard let address = settings.database, let file = settings.gateFile else {
            throw Problem.feedIncomplete(
                missing: settings.database == nil ? "no database" : "no file for the gate",
                setting: settings.database == nil ? "store" : "gateFile"
            )
        }
        let password = try settings.databasePasswordFile.map { try SecretFile.read($0) }
        let logger = Logger(label: "lamplighter.feed")
        let messages = messages
        let systemd = SystemdSocket(ProcessInfo.processInfo.environment)
        let feeder = Feeder(logger: logger, reports: FeedReports(systemd)) {
            try GateFeed(address, password: password, path: file)
        } ready: { count in
            messages.say(
                "feed is ready, \(count) records in \(file)",
                asEvent: "The feed is ready",
                ["gate.file": "\(file)", "records": "\(count)"]
            )
        }
        try await ServiceGroup.runUntilSignal([WorkService(feeder)], logger: logger)
    }
}

/// The feed's thread, which writes changes to the file and reconnects after a failure.
private final class Feeder: StoppableWork {
    private let open: @Sendable () throws -> GateFeed
    private let ready: @Sendable (Int) -> Void
    private let logger: Logger
    private let reports: FeedReports
    private let isStopping = Atomic<Bool>(false)

    /// The longest wait for changes, and the longest time between updates of the file's modification time.
    private static let wait: Duration = .seconds(1)

    init(
        logger: Logger,
        reports: FeedReports,
        open: @escaping @Sendable () throws -> GateFeed,
        ready: @escaping @Sendable (Int) -> Void
    ) {
        (self.logger, self.reports, self.open, self.ready) = (logger, reports, open, ready)
    }

    func run() async { await PlainThread.run { self.follow() } }

    func stop() { isStopping.store(true, ordering: .releasing) }

    private var isOver: Bool { isStopping.load(ordering: .acquiring) }

    private func follow() {
        var isAway = false
        var reports = reports
        defer { reports.stop() }
        while !isOver {
            do {
                let feed = try open()
                isAway ? logger.notice("The feed continues") : ready(feed.count)
                isAway = false
                while !isOver {
                    reports.live("follows the database")
                    _ = try feed.turn(waiting: Self.wait)
                }
            } catch {
                if !isAway {
                    let text = "The feed is interrupted; a gate with credentials_age admits no new client"
                    logger.error("\(text)", metadata: ["error": "\(error)"])
                }
                isAway = true
                reports.live("waits for the database")
                PlainThread.pause(Self.wait)
            }
        }
    }
}
