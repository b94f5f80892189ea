import Files
import Glibc

/// The functions that limit the size of the broker's log, and read the log's last lines.
enum BrokerLog {
    /// Rotates a log each time the log has become too large, until the task is cancelled.
    static func keepSmall(_ path: String) async {
        while !Task.isCancelled {
            rotate(path, above: ServiceLimits.brokerLogBytesMax)
            try? await Task.sleep(for: ServiceLimits.brokerLogInterval)
        }
    }

    /// Moves a log's content to a file ending in `.1` if the log is larger than `bytes`.
    ///
    /// The log itself stays, because the broker keeps it open for appending.
    static func rotate(_ path: String, above bytes: Int) {
        guard let size = TextFile.size(path), size > bytes else { return }
        guard let text = TextFile.read(path) else { return }
        try? TextFile.write(text, to: path + ".1")
        truncate(path, 0)
    }

    /// Returns the last three lines after an offset in the log, without their times.
    static func tail(_ path: String, from offset: Int) -> String {
        guard let bytes = TextFile.readBytes(path), bytes.count > offset else {
            return "the broker ended at once and wrote nothing to its log"
        }
        let lines = String(decoding: bytes[offset...], as: UTF8.self).split(separator: "\n")
        return lines.suffix(3).map { line in
            line.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? String(line)
        }.joined(separator: "\n")
    }
}
