/// The version of this program.
package enum Version {
    /// The version that `lamplighter version` prints, the same as in CHANGELOG.md.
    package static let text = "0.1.0"
}
