import Logging
package import ServiceSettings

/// Sets up logging for the process, once.
package enum LogSetup {
    /// Sends all logging to standard error from a level on; `none` sends nothing.
    package static func install(level: String, format: LogFormat) {
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
