import Logging

/// Sets up logging for the process, once.
package enum LogSetup {
    /// The form of log lines.
    package enum Format: String, CaseIterable, Sendable {
        /// Time, level, message, `key=value`.
        case text
        /// One JSON object a line.
        case json
    }

    /// Sends all logging to standard error from a level on; `none` sends nothing.
    package static func install(level: String, format: Format = .text) {
        guard let level = Logger.Level(rawValue: level) else {
            LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
            return
        }
        switch format {
        case .text: LoggingSystem.bootstrap { _ in CompactLogHandler(level: level) }
        case .json: LoggingSystem.bootstrap { JSONLogHandler(label: $0, level: level) }
        }
    }

    /// Sets up logging as the settings say.
    static func install(_ settings: Settings) {
        install(level: settings.logLevel, format: settings.logFormat)
    }
}
