extension String {
    /// Returns whether two strings have the same code points (RFC 8259, section 8.3).
    ///
    /// The operator `==` would treat `é` and `e` with a combining accent as the same string.
    package func isSame(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let outcome = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { bytes.elementsEqual($0) } ?? bytes.elementsEqual(other.utf8)
        }
        return outcome ?? utf8.elementsEqual(other.utf8)
    }
}
