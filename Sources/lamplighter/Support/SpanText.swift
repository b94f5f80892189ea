/// Spans of time as they are typed on the command line.
enum SpanText {
    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

    /// Returns the seconds in a span such as `30s`, `15m`, `1h` or `7d`.
    ///
    /// The result is nil for other forms and spans over a hundred years.
    static func seconds(_ text: String) -> Int64? {
        guard let unit = text.last.flatMap({ units[$0] }),
            let number = Int64(text.dropLast()), (0...3_155_760_000 / unit).contains(number)
        else { return nil }
        return number * unit
    }
}
