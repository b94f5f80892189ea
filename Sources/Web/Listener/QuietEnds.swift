import Logging

/// A log handler that drops the web server's lines about its own shutdown.
///
/// The cause of the shutdown is logged elsewhere.
struct QuietEnds: LogHandler {
    private static let ends = [
        "Waiting on child channel: CancellationError()", "Server shutdown error: Already closed",
    ]
    private var base: any LogHandler

    /// Creates a handler that passes to `base` all lines that it doesn't drop.
    init(_ base: any LogHandler) { self.base = base }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        let text = "\(event.message)"
        if !Self.ends.contains(where: text.hasPrefix) { base.log(event: event) }
    }
}
