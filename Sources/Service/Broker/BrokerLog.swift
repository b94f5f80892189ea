import Files
import Glibc

/// The functions that limit the size of the broker's log, and read the log's last lines.
enum BrokerLog {
    /// Until the task is cancelled, checks the log's size at intervals, and rotates a log that is too large.
    static func keepSmall(_ path: String) async {
        while !Task.isCancelled {
            rotate(path, above: ServiceLimits.brokerLogBytesMax)
            try? await Task.sleep(for: ServiceLimits.brokerLogInterval)
        }
    }

    /// If a log is larger than `bytes`, copies the log to a file whose name ends in `.1`, and then empties the log
    /// itself, which the broker keeps open for appending.
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
