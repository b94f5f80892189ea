/// The form of log lines.
package enum LogFormat: String, CaseIterable, Sendable {
    /// One line per event with time, level, message and `key=value`.
    case text
    /// One line per event with a JSON object.
    case json
}
