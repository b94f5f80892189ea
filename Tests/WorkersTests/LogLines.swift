import Logging
import Synchronization

/// A log handler that keeps the logged lines, so that a test can read them.
final class LogLines: LogHandler {
    private let kept = Mutex<[(level: Logger.Level, line: String)]>([])
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }

    var all: [String] { kept.withLock { $0.map(\.line) } }
    var warnings: [String] { kept.withLock { $0.filter { $0.level == .warning }.map(\.line) } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        kept.withLock { $0.append((event.level, "\(event.message) \(event.metadata ?? [:])")) }
    }
}
