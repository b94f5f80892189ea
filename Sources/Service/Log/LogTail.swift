import DequeModule
import Synchronization

/// The last lines of the log, for the console and support bundles.
package enum LogTail {
    private static let linesMax = 1000
    private static let kept = Mutex<Deque<[UInt8]>>([])

    /// Adds a line, which must end with a line break, and drops the oldest line if there are too many.
    static func keep(_ line: [UInt8]) {
        kept.withLock { lines in
            if lines.count >= linesMax { lines.removeFirst() }
            lines.append(line)
        }
    }

    /// The kept lines, the oldest first.
    package static var lines: [String] {
        kept.withLock { lines in lines.map { String(decoding: $0.dropLast(), as: UTF8.self) } }
    }
}
