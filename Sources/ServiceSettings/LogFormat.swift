/// The form of log lines.
package enum LogFormat: String, CaseIterable, Sendable {
    /// One line per event with time, level, message and `key=value` pairs.
    case text
    /// One JSON object per event, each on its own line.
    case json
}
