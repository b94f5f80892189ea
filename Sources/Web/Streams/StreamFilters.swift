import Domain

/// The topic filters of a user's stream, without the root.
struct StreamFilters: Equatable {
    let texts: [String]

    private static let countMax = 8
    private static let bytesMax = 512

    /// Parses the query, in which `filter` may be repeated.
    ///
    /// Without any filter, the stream gets all messages of the terminal and its user.
    ///
    /// - Throws: `Rejection`. Its code is `Forbidden` if the holder has no user, or if a filter is outside the topics
    ///   of the terminal and the user.
    init(_ query: String?, of holder: RequestFront.Holder) throws(Rejection) {
        guard let uid = holder.uid else { throw Rejection(.forbidden, "A stream of messages needs a user's session.") }
        let spaces = ["app/\(holder.app.text)/\(holder.terminal.text)/", "user/\(uid.text)/"]
        var texts: [String] = []
        for pair in query?.split(separator: "&") ?? [] {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts[0] == "filter", parts.count == 2 else {
                throw Rejection.invalid("query", "The only parameter of a stream is 'filter'.")
            }
            guard let text = FormFields.decodePart(parts[1]), (1...Self.bytesMax).contains(text.utf8.count),
                !text.utf8.contains(where: { $0 < 0x20 })
            else { throw Rejection.invalid("filter", "A filter has 1 to 512 bytes, without the root.") }
            guard spaces.contains(where: { text.utf8.starts(with: $0.utf8) }) else {
                throw Rejection(
                    .forbidden,
                    "A filter must begin with \(spaces[0]) or \(spaces[1]).",
                    field: "filter"
                )
            }
            texts.append(text)
        }
        guard texts.count <= Self.countMax else {
            throw Rejection.invalid("filter", "A stream can have at most \(Self.countMax) filters.")
        }
        self.texts = texts.isEmpty ? spaces.map { $0 + "#" } : texts
    }
}
