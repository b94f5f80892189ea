package import Logging
package import Problems
package import ServiceSettings

/// What a running service says beside its log: notes about settings, the banner, and the problem that ends it.
///
/// It is text for people. Where the log is JSON, which programs read, each is one line of the log instead, whatever
/// level the log has: nothing else is written there.
package struct RunMessages: Sendable {
    private let isJSON: Bool
    private let show: @Sendable (String) -> Void
    private let tell: @Sendable (String) -> Void

    /// Prepares the messages of a run; of those for people, `show` takes the banner and `tell` the notes.
    package init(
        _ settings: Settings,
        show: @escaping @Sendable (String) -> Void,
        tell: @escaping @Sendable (String) -> Void
    ) {
        isJSON = settings.logFormat == .json
        self.show = show
        self.tell = tell
    }

    /// Says something in the form of the log: the text, or the event with its values.
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
        JSONLogHandler(label: "lamplighter", level: .trace).log(
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

    /// Says that something about the settings is odd.
    package func note(_ text: String) {
        isJSON ? log("\(text)", [:], level: .notice) : tell("note: \(text)")
    }

    /// Says what ends the run, where the log is JSON; false where that is left to the command, as text.
    package func end(with problem: Problem) -> Bool {
        guard isJSON else { return false }
        say(
            problem.message,
            asEvent: "\(problem.message)",
            [
                "code": "\(problem.code.rawValue)", "place": "\(problem.place ?? "")",
                "why": "\(problem.why)", "cures": .array(problem.cures.map { "\($0.command)" }),
            ],
            level: .critical
        )
        return true
    }
}
