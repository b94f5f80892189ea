/// A fault in a JSON text, with its position.
package struct JSONError: Error, Equatable, CustomStringConvertible {
    /// A description of the fault for the sender, without any of the JSON text.
    package let reason: String
    /// The position of the fault, in bytes from the beginning of the text.
    package let offset: Int

    /// Makes an error.
    package init(_ reason: String, at offset: Int) {
        (self.reason, self.offset) = (reason, offset)
    }

    package var description: String { "\(reason) at byte \(offset)" }
}
