import Logging
package import ServiceSettings

/// The setup of logging, which is done once in a process.
package enum LogSetup {
    /// Makes this process log events of at least `level`, or nothing if `level` is `none`.
    package static func install(level: String, format: LogFormat) {
        guard let level = Logger.Level(rawValue: level) else {
            LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
            return
        }
        switch format {
        case .text: LoggingSystem.bootstrap { _ in CompactLogHandler(ownLevel: level) }
        case .json: LoggingSystem.bootstrap { JSONLogHandler(label: $0, ownLevel: level) }
        }
    }

    /// Sets up logging from the settings.
    static func install(_ settings: Settings) { install(level: settings.logLevel, format: settings.logFormat) }
}
