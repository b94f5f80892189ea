package import Logging
package import Problems
package import ServiceSettings

/// The messages of a running service outside its log: notes about settings, the banner, and the problem that ends it.
///
/// They are plain text. If the log is JSON, each is a line of the log instead, regardless of the log's level, so that
/// nothing but JSON is written.
package struct RunMessages: Sendable {
    private let isJSON: Bool
    private let show: @Sendable (String) -> Void
    private let tell: @Sendable (String) -> Void

    /// Prepares the messages of a run; for plain text, `show` takes the banner and `tell` the notes.
    package init(
        _ settings: Settings,
        show: @escaping @Sendable (String) -> Void,
        tell: @escaping @Sendable (String) -> Void
    ) {
        isJSON = settings.logFormat == .json
        self.show = show
        self.tell = tell
    }

    /// Writes a message in the log's form: the text, or the event with its values.
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

    /// Writes a note that something about the settings is odd.
    package func note(_ text: String) { isJSON ? log("\(text)", [:], level: .notice) : tell("note: \(text)") }

    /// Logs the problem that ends the run if the log is JSON; returns false if the command must print it.
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
