/// Why a text was refused as JSON, and where.
package struct JSONError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, in words for the sender; never a piece of the text itself.
    package let reason: String
    /// How many bytes into the text.
    package let offset: Int

    /// Makes an error.
    package init(_ reason: String, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    package var description: String { "\(reason) at byte \(offset)" }
}
