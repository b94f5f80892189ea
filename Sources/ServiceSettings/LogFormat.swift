/// The form of log lines.
package enum LogFormat: String, CaseIterable, Sendable {
    /// Time, level, message, `key=value`.
    case text
    /// One JSON object per line.
    case json
}
