package import Logging
package import Problems
package import ServiceSettings

/// A running service's messages outside its log: notes, the banner, and the problem that ends the run.
///
/// Normally, the messages are printed as plain text. If the log is JSON, the messages are instead written as events of
/// the log, whatever the log level is. Thus all output is JSON.
package struct RunMessages: Sendable {
    private let isJSON: Bool
    private let show: @Sendable (String) -> Void
    private let tell: @Sendable (String) -> Void

    /// Prepares the messages of a run.
    ///
    /// If the messages are plain text, the function `tell` prints the notes, and the function `show` prints all other
    /// messages.
    package init(
        _ settings: Settings,
        show: @escaping @Sendable (String) -> Void,
        tell: @escaping @Sendable (String) -> Void
    ) {
        isJSON = settings.logFormat == .json
        self.show = show
        self.tell = tell
    }

    /// Writes a message as plain text, or as an event if the log is JSON.
    package func say(
        _ text: @autoclosure () -> String,
        asEvent message: Logger.Message,
        _ metadata: @autoclosure () -> Logger.Metadata = [:],
        level: Logger.Level = .notice
    ) {
        guard isJSON else { return show(text()) }
        log(message, metadata(), level: level)
    }

    private func log(_ message: Logger.Message, _ metadata: Logger.Metadata, level: Logger.Level) {
        JSONLogHandler(label: "lamplighter", ownLevel: .trace).log(
            event: LogEvent(
                level: level,
                message: message,
                metadata: metadata,
                source: "Service",
                file: #fileID,
                function: #function,
                line: #line
            )
        )
    }

    /// Writes a note about something unusual in the settings.
    package func note(_ text: String) { isJSON ? log("\(text)", [:], level: .notice) : tell("note: \(text)") }

    /// Logs the problem that ends the run, if the log is JSON.
    ///
    /// - Returns: Whether the problem was logged. If not, the command must print the problem.
    package func end(with problem: Problem) -> Bool {
        guard isJSON else { return false }
        say(
            problem.message,
            asEvent: "\(problem.message)",
            [
                "code": "\(problem.code.rawValue)", "place": "\(problem.place ?? "")", "why": "\(problem.why)",
                "cures": .array(problem.cures.map { "\($0.command)" }),
            ],
            level: .critical
        )
        return true
    }
}
